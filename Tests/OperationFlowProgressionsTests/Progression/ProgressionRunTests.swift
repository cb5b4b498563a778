import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct ProgressionRunTests {
  @Test(arguments: 0..<countings.count)
  func `it is run to its result, however its steps are written`(way: Int) async throws {
    func run<Count: Counting>(_ type: Count.Type) async throws {
      #expect(try await type.init(to: 9).run() == 9)
      #expect(try await type.run(from: type.init(step: 5, goal: 9)) == 9)
      #expect(try await type.init(to: 0).run() == 0)
    }
    try await run(countings[way])
  }

  @Test(arguments: 0..<countings.count)
  func `its steps are the first, every further one, and the last`(way: Int) async throws {
    func steps<Count: Counting>(_ type: Count.Type) async throws -> [Int] {
      var steps: [Int] = []
      for try await step in type.init(step: 3, goal: 8).steps { steps.append(step.step) }
      return steps
    }
    #expect(try await steps(countings[way]) == [3, 4, 5, 6, 7, 8])
  }

  @Test func `one that writes no step fails and says so`() async throws {
    let error = await #expect(throws: FlowError.self) { try await UnwrittenProgression().run() }
    #expect(error?.code == .notImplemented)
    #expect(error?.description.contains("UnwrittenProgression") == true)
    #expect(error?.remedy.contains("advance()") == true)
    let driven = await #expect(throws: FlowError.self) {
      try await UnwrittenProgression().deferred(queue: .global()).value
    }
    #expect(driven?.code == .notImplemented)
  }

  @Test func `each way to take a step fails if none is written`() async throws {
    var step = UnwrittenProgression()
    await #expect(throws: FlowError.self) { try await step.advance() }
    await #expect(throws: FlowError.self) { try await step.next().value }
    let deferred = try step.updateOrDeferNext()
    await #expect(throws: FlowError.self) { try await deferred?.value }
  }

  @Test(arguments: 0..<countings.count)
  func `each way to take a step is there, whichever is written`(way: Int) async throws {
    func take<Count: Counting>(_ type: Count.Type) async throws {
      var step = type.init(to: 9)
      try await step.advance()
      #expect(step.step == 1)
      if let deferred = try step.updateOrDeferNext() { step = try await deferred.value }
      #expect(step.step == 2)
      #expect(try await step.next().value.step == 3)
    }
    try await take(countings[way])
  }

  @Test(arguments: 0..<countings.count)
  func `a cancelled task takes no further step`(way: Int) async throws {
    func cancel<Count: Counting>(_ type: Count.Type) async -> Swift.Result<Int, any Error> {
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await type.init(to: 9).run()
      }.result
    }
    await #expect(throws: CancellationError.self) { try await cancel(countings[way]).get() }
  }

  @Test func `a task that is cancelled by a step ends before the next`() async {
    struct Cancelling: Progression {
      let steps: Noted<Int>
      var count = 0
      var result: Int? { nil }
      mutating func updateOrDeferNext() throws -> Deferred<Cancelling>? {
        count += 1
        if steps.add(count) % 3 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
        return nil
      }
    }
    let steps = Noted<Int>()
    await #expect(throws: CancellationError.self) {
      try await Task { try await Cancelling(steps: steps).run() }.value
    }
    #expect(steps.all == [1, 2, 3])
    let iterated = Noted<Int>()
    await #expect(throws: CancellationError.self) {
      try await Task { for try await step in Cancelling(steps: steps).steps { iterated.add(step.count) } }.value
    }
    #expect(iterated.all == [0, 1, 2, 3])
  }

  @Test func `leaving the loop takes no further step`() async throws {
    struct Noting: Progression {
      let steps: Noted<Int>
      var result: Int? { nil }
      mutating func advance() async throws { steps.add(0) }
    }
    let steps = Noted<Int>()
    var count = 0
    for try await _ in Noting(steps: steps).steps {
      count += 1
      if count == 3 { break }
    }
    #expect(steps.all.count == 2)
  }

  @Test func `a way that is written counts before those behind it`() async throws {
    struct Several: Progression {
      var result: String?
      mutating func updateOrDeferNext() throws -> Deferred<Several>? {
        result = "update"
        return nil
      }
      func next() -> Deferred<Several> { .unit { Several(result: "next") } }
      mutating func advance() async throws { result = "advance" }
    }
    #expect(try await Several().run() == "update")
    #expect(try await Several().deferred(queue: .global()).value == "update")
    struct Later: Progression {
      var result: String?
      func next() -> Deferred<Later> { .unit { Later(result: "next") } }
      mutating func advance() async throws { result = "advance" }
    }
    #expect(try await Later().run() == "next")
    #expect(try await Later().deferred(queue: .global()).value == "next")
  }

  @Test func `a result that is there is returned by a cancelled task too`() async throws {
    let result = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await UpdatingCount(to: 0).run()
    }.result
    #expect(try result.get() == 0)
  }

  @Test func `an iteration ends with the error of a step`() async throws {
    struct Failing: Progression {
      var count = 0
      var result: Int? { nil }
      mutating func updateOrDeferNext() throws -> Deferred<Failing>? {
        count += 1
        if count == 3 { throw TestError() }
        return nil
      }
    }
    var counts: [Int] = []
    var iterator = Failing().steps.makeAsyncIterator()
    await #expect(throws: TestError.self) { while let step = try await iterator.next() { counts.append(step.count) } }
    #expect(counts == [0, 1, 2])
    #expect(try await iterator.next() == nil)
  }

  @Test func `a million steps need no more stack than one`() async throws {
    #expect(try await UpdatingCount(to: TestSettings.longCount).run() == TestSettings.longCount)
    #expect(try await UnitCount(to: TestSettings.longCount).run() == TestSettings.longCount)
    #expect(try await ImmediateCount(to: TestSettings.longCount).run() == TestSettings.longCount)
    #expect(try await AdvancingCount(to: TestSettings.longCount).run() == TestSettings.longCount)
    #expect(try await MixedCount(to: 10_000).run() == 10_000)
    var last = 0
    for try await step in UpdatingCount(to: TestSettings.longCount).steps { last = step.step }
    #expect(last == TestSettings.longCount)
  }
}
