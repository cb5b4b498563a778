import Foundation
import TestSupport
import Testing

@testable import OperationFlow

private struct Photo: Codable, Sendable, Equatable {
  var name: String
  var size: Int
}

extension FlowKey where Value == Int {
  fileprivate static var count: Self { "count" }
  fileprivate static var sum: Self { "sum" }
}

extension FlowKey where Value == [Photo] {
  fileprivate static var photos: Self { "photos" }
}

extension FlowKey where Value == [Int] {
  fileprivate static var sizes: Self { "sizes" }
}

private final class CountOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.photos) var photos
  @FlowOutput(.count) var count

  override func mainLogic() {
    count = photos.count
    finishSuccessfully()
  }
}

private let photos = [Photo(name: "a", size: 3), Photo(name: "b", size: 1), Photo(name: "c", size: 2)]

/// Each kind of step: cut after each entry and resumed, it ends as if nothing had happened.
@Suite(.watched) struct DurableKindsTests {
  private func note(_ context: FlowContext, _ ran: Journal<String>) { DurableCheck.note(context, ran) }

  @Test func `steps one after the other`() async throws {
    try await DurableCheck { ran in
      Flow("Serial")
        .add("one") { context in
          note(context, ran)
          context[.photos] = photos
        }
        .add(CountOp())
        .add("two") { context in
          note(context, ran)
          context[.sum] = try context.require(.photos).map(\.size).reduce(0, +) + context.require(.count)
        }
        .add("three") { context in
          note(context, ran)
          context.removeData(.count)
          context.update(.sum, default: 0) { $0 += 1 }
        }
    }.check()
  }

  @Test func `asynchronous steps`() async throws {
    try await DurableCheck { ran in
      Flow("Asynchronous")
        .add("one") { context async in
          note(context, ran)
          await Task.yield()
          context[.count] = 1
        }
        .add("two") { context async throws in
          note(context, ran)
          await Task.yield()
          context[.sum] = try context.require(.count) + 1
        }
    }.check()
  }

  @Test func `a failing step`() async throws {
    try await DurableCheck { ran in
      Flow("Failing")
        .add("one") { context in
          note(context, ran)
          context[.count] = 1
        }
        .add("two") { context in
          note(context, ran)
          throw TestError(name: "two")
        }
        .add("three") { note($0, ran) }
    }.check()
  }

  @Test func `cases, conditions and flows in flows`() async throws {
    for number in 0...2 {
      try await DurableCheck { ran in
        Flow("Branches")
          .add("one") { context in
            note(context, ran)
            context[.count] = number
          }
          .cases(on: .count) { cases in
            cases.when(1) { $0.add("is one") { note($0, ran) } }
            cases.when(2) { flow in
              flow.add("is two") { context in
                note(context, ran)
                context[.sum] = 2
              }
            }
            cases.otherwise { $0.add("is other") { note($0, ran) } }
          }
          .add("maybe", .when(.count, is: 2)) { note($0, ran) }
          .add(
            flow: Flow("Inner").set("inner", to: "value").add("inside") { context in
              note(context, ran)
              context[.sum] = (context[.sum] ?? 0) + 5
            }
          )
          .add("last") { note($0, ran) }
      }.check("\(number)")
    }
  }

  @Test func `a group of an array`() async throws {
    for width in [1, 2] {
      try await DurableCheck { ran in
        Flow("Group")
          .add("one") { context in
            note(context, ran)
            context[.photos] = photos
          }
          .forEach(.photos, into: .sizes, width: width) { photo, context in
            note(context, ran)
            return photo.size
          }
          .add("two") { context in
            note(context, ran)
            context[.photos] = []
            context[.sum] = try context.require(.sizes).reduce(0, +)
          }
      }.check("width \(width)")
    }
  }

  @Test func `a tolerant group of asynchronous items with outputs of a type of their own`() async throws {
    try await DurableCheck(
      make: { ran in
        Flow("Group")
          .forEach(.photos, into: FlowKey<[Photo]>("copies"), width: 2, tolerating: .all) {
            photo, context async throws in
            note(context, ran)
            await Task.yield()
            if photo.size == 1 { throw TestError(name: photo.name) }
            return Photo(name: photo.name + "2", size: photo.size)
          }
          .add("two") { context in
            note(context, ran)
            context[.count] = try context.require(FlowKey<[Photo]>("copies")).count
          }
      }, data: ["photos": photos], ordered: false
    ).check()
  }

  @Test func `a group that stops`() async throws {
    try await DurableCheck(
      make: { ran in
        Flow("Group")
          .forEach(.photos, into: .sizes, width: 1) { photo, context in
            note(context, ran)
            if photo.size == 1 { throw TestError(name: photo.name) }
            return photo.size
          }
      }, data: ["photos": photos]
    ).check()
  }

  @Test func `a group of a sequence, and one of an asynchronous sequence`() async throws {
    try await DurableCheck { ran in
      Flow("Sequences")
        .forEach(in: 0..<4, into: .sizes, width: 2) { number, context in
          note(context, ran)
          return number * number
        }
        .forEach(
          in: AsyncStream { continuation in
            for number in 0..<3 { continuation.yield(number) }
            continuation.finish()
          }, into: FlowKey<[Int]>("more"), width: 1
        ) { number, context in
          note(context, ran)
          return number + 1
        }
    }.check()
  }

  @Test func `parallel branches`() async throws {
    try await DurableCheck { ran in
      Flow("Parallel")
        .parallel("both") { step in
          step.branch("left") { flow in
            flow.add("l1") { context in
              note(context, ran)
              context[.count] = 1
            }.add("l2") { context in
              note(context, ran)
              context[.count] = 2
            }
          }
          step.branch("right") { flow in
            flow.add("r1") { context in
              note(context, ran)
              context[.sum] = 1
            }
          }
        }
        .add("after") { context in
          note(context, ran)
          context[.sum] = try context.require(.sum) + context.require(.count)
        }
    }.check()
  }

  @Test func `attempts and recoveries`() async throws {
    try await DurableCheck { ran in
      Flow("Attempts")
        .add("often", .retry(.attempts(3))) { context in
          note(context, ran)
          if context.attempt < 3 { throw TestError(name: "\(context.attempt)") }
          context[.count] = context.attempt
        }
        .add("recovers", .retry(.attempts(2)), .recover { _, context in context[.sum] = 7 }) { context in
          note(context, ran)
          throw TestError(name: "again \(context.attempt)")
        }
        .forEach(in: 0..<3, into: .sizes, width: 1, .retry(.attempts(2))) { number, context in
          note(context, ran)
          if number == 1, context.attempt == 1 { throw TestError(name: "item") }
          return number
        }
    }.check()
  }

  @Test func `undos and steps that always run`() async throws {
    try await DurableCheck { ran in
      Flow("Undos")
        .always("cleanup") { $0.add("clean") { note($0, ran) } }
        .add("one", .undo { note($0, ran) }) { note($0, ran) }
        .forEach(
          in: 0..<3, into: .sizes, width: 1,
          .undo { context in
            note(context, ran)
            let item: Int = try context.item()
            let output: Int = try context.output()
            context[.sum] = (context[.sum] ?? 0) + item * output
          }
        ) { number, context in
          note(context, ran)
          return number + 1
        }
        .add("fails") { context in
          note(context, ran)
          throw TestError(name: "end")
        }
    }.check()
  }

  @Test func `time limits that are not reached`() async throws {
    try await DurableCheck { ran in
      Flow("Times")
        .add("timed", .timeout(.seconds(3600))) { note($0, ran) }
        .forEach(in: 0..<2, into: .sizes, width: 1, .timeout(.seconds(3600)), .retry(.attempts(2))) { number, context in
          note(context, ran)
          if context.attempt == 1 { throw TestError(name: "first") }
          return number
        }
    }.check()
  }

  @Test func `results of items, kept and handed on`() async throws {
    try await DurableCheck { ran in
      Flow("Results")
        .forEach(
          in: 0..<3, into: .sizes, width: 1, tolerating: .all, .results(in: FlowKey<[FlowItemResult<Int>]>("results")),
          .onEachResult { (result: FlowItemResult<Int>, index, context) in
            ran.append("result \(index) \(result.output ?? -1)@\(context.attempt)")
          }
        ) { number, context in
          note(context, ran)
          if number == 1 { throw TestError(name: "item") }
          return number
        }
        .add("after") { context in
          note(context, ran)
          context[.count] = try context.require(FlowKey<[FlowItemResult<Int>]>("results")).count(where: \.isSuccess)
        }
    }.check()
  }
}
