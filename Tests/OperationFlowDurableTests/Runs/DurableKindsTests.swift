import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

private struct Photo: Codable, Sendable, Equatable {
  var name: String
  var size: Int
}

extension FlowKey where Value == Int {
  fileprivate static var sum: Self { "sum" }
}

extension FlowKey where Value == [Photo] {
  fileprivate static var photos: Self { "photos" }
  fileprivate static var copies: Self { "copies" }
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

extension Flow {
  /// Adds a step that records that it runs.
  fileprivate func noted(
    _ name: String, _ ran: Journal<String>, _ traits: StepTrait<FlowStep.Repeatable>...,
    run body: @escaping @Sendable (FlowContext) throws -> Void = { _ in }
  ) -> Flow {
    let work: @Sendable (FlowContext) throws -> Void = { context in
      note(context, ran)
      try body(context)
    }
    return add(name, .closure(.sync(work)), StepOptions(traits), nil)
  }
}

private func note(_ context: FlowContext, _ ran: Journal<String>) { DurableCheck.note(context, ran) }

/// Each kind of step: cut after each entry and resumed, a run ends as if nothing had happened.
@Suite(.watched) struct DurableKindsTests {
  private func check(
    with data: [String: any Sendable] = [:], ordered: Bool = true, location: SourceLocation = #_sourceLocation,
    _ make: @escaping (Journal<String>) -> Flow
  ) async throws {
    try await DurableCheck(make: make, data: data, ordered: ordered).check(location: location)
  }

  @Test func `steps one after the other`() async throws {
    try await check { ran in
      Flow("Serial").noted("one", ran) { $0[.photos] = photos }.add(CountOp())
        .noted("two", ran) { $0[.sum] = try $0.require(.photos).map(\.size).reduce(0, +) + $0.require(.count) }
        .noted("three", ran) { context in
          context[.count] = nil
          context.update(.sum, default: 0) { $0 += 1 }
        }
    }
  }

  @Test(arguments: 0...2) func `cases, conditions and flows in flows`(number: Int) async throws {
    try await check { ran in
      Flow("Branches").noted("one", ran) { $0[.count] = number }
        .cases(on: .count) { cases in
          cases.when(1) { _ = $0.noted("is one", ran) }
          cases.when(2) { _ = $0.noted("is two", ran) { $0[.sum] = 2 } }
          cases.otherwise { _ = $0.noted("is other", ran) }
        }
        .noted("maybe", ran, .when(.count, is: 2))
        .add(flow: Flow("Inner").set("inner", to: "value").noted("inside", ran) { $0[.sum] = ($0[.sum] ?? 0) + 5 })
        .noted("last", ran)
    }
  }

  @Test(arguments: [1, 2]) func `a group of an array`(width: Int) async throws {
    try await check { ran in
      Flow("Group").noted("one", ran) { $0[.photos] = photos }
        .forEach(.photos, into: .sizes, width: width) { photo, context in
          note(context, ran)
          return photo.size
        }
        .noted("two", ran) { context in
          context[.photos] = []
          context[.sum] = try context.require(.sizes).reduce(0, +)
        }
    }
  }

  @Test func `a tolerant group of asynchronous items with outputs of a type of their own`() async throws {
    try await check(with: ["photos": photos], ordered: false) { ran in
      Flow("Group")
        .forEach(.photos, into: .copies, width: 2, tolerating: .all) { photo, context async throws in
          note(context, ran)
          await Task.yield()
          if photo.size == 1 { throw TestError(name: photo.name) }
          return Photo(name: photo.name + "2", size: photo.size)
        }
        .noted("two", ran) { $0[.count] = try $0.require(.copies).count }
    }
  }

  @Test func `a group that stops`() async throws {
    try await check(with: ["photos": photos]) { ran in
      Flow("Group").forEach(.photos, into: .sizes, width: 1) { photo, context in
        note(context, ran)
        if photo.size == 1 { throw TestError(name: photo.name) }
        return photo.size
      }
    }
  }

  @Test func `a group of a sequence, and one of an asynchronous sequence`() async throws {
    try await check { ran in
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
    }
  }

  @Test func `parallel branches`() async throws {
    try await check { ran in
      Flow("Parallel")
        .parallel("both") { step in
          step.branch("left") { _ = $0.noted("l1", ran) { $0[.count] = 1 }.noted("l2", ran) { $0[.count] = 2 } }
          step.branch("right") { _ = $0.noted("r1", ran) { $0[.sum] = 1 } }
        }
        .noted("after", ran) { $0[.sum] = try $0.require(.sum) + $0.require(.count) }
    }
  }

  @Test func `attempts and recoveries`() async throws {
    try await check { ran in
      Flow("Attempts")
        .noted("often", ran, .retry(.attempts(3))) { context in
          if context.attempt < 3 { throw TestError(name: "\(context.attempt)") }
          context[.count] = context.attempt
        }
        .noted("recovers", ran, .retry(.attempts(2)), .recover { _, context in context[.sum] = 7 }) {
          throw TestError(name: "again \($0.attempt)")
        }
        .forEach(in: 0..<3, into: .sizes, width: 1, .retry(.attempts(2))) { number, context in
          note(context, ran)
          if number == 1, context.attempt == 1 { throw TestError(name: "item") }
          return number
        }
    }
  }

  @Test func `undos and steps that always run`() async throws {
    try await check { ran in
      Flow("Undos")
        .always("cleanup") { _ = $0.noted("clean", ran) }
        .noted("one", ran, .undo { note($0, ran) })
        .forEach(
          in: 0..<3, into: .sizes, width: 1,
          .undo { context in
            note(context, ran)
            let (item, output) = (try context.item() as Int, try context.output() as Int)
            context[.sum] = (context[.sum] ?? 0) + item * output
          }
        ) { number, context in
          note(context, ran)
          return number + 1
        }
        .noted("fails", ran) { _ in throw TestError(name: "end") }
    }
  }

  @Test func `time limits that are not reached`() async throws {
    try await check { ran in
      Flow("Times").noted("timed", ran, .timeout(.seconds(3600)))
        .forEach(in: 0..<2, into: .sizes, width: 1, .timeout(.seconds(3600)), .retry(.attempts(2))) { number, context in
          note(context, ran)
          if context.attempt == 1 { throw TestError(name: "first") }
          return number
        }
    }
  }

  @Test func `results of items, kept and handed on`() async throws {
    let results = FlowKey<[FlowItemResult<Int>]>("results")
    try await check { ran in
      Flow("Results")
        .forEach(
          in: 0..<3, into: .sizes, width: 1, tolerating: .all, .results(in: results),
          .onEachResult { (result: FlowItemResult<Int>, index, context) in
            ran.append("result \(index) \(result.output ?? -1)@\(context.attempt)")
          }
        ) { number, context in
          note(context, ran)
          if number == 1 { throw TestError(name: "item") }
          return number
        }
        .noted("after", ran) { $0[.count] = try $0.require(results).count(where: \.isSuccess) }
    }
  }
}
