import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct SerialProgressionTests {
  private let globally: AsyncPerformer = { DispatchQueue.global().async(execute: $0) }

  @Test func `progressions run one after the other, and leave their results in order`() async throws {
    let stages = (0..<20).map { MixedCount(to: $0) }
    #expect(try await stages.serially(on: globally).value == Array(0..<20))
    #expect(try await Serial.start(stages: stages, performer: globally).deferred(performer: globally).value.count == 20)
    #expect(try await Serial.start(stages: stages, performer: globally).run() == Array(0..<20))
    #expect(try await [MixedCount]().serially(on: globally).value == [])
    #expect(try await Serial<MixedCount>.start(stages: [], performer: globally).run() == [])
  }

  @Test func `the first error ends it, and what comes after does not run`() async {
    let started = Noted<Int>()
    let stages = (0..<5).map { Failing(number: $0, started: started) }
    await #expect(throws: TestError(name: "2")) { try await stages.serially(on: globally).value }
    #expect(started.all == [0, 1, 2])
    await #expect(throws: TestError(name: "2")) {
      try await Serial.start(stages: stages, performer: globally).run()
    }
    #expect(started.all == [0, 1, 2, 0, 1, 2])
  }

  @Test func `its steps say what is left and what has come`() async throws {
    var steps: [String] = []
    for try await step in Serial.start(stages: [UpdatingCount(to: 1), UpdatingCount(to: 2)], performer: globally).steps
    {
      switch step {
      case .start(let stages, _): steps.append("start \(stages.count)")
      case .running(let remaining, let active, let results, _):
        steps.append("running \(active.goal), \(remaining.count) left, \(results)")
      case .completed(let results): steps.append("completed \(results)")
      }
    }
    #expect(steps == ["start 2", "running 1, 1 left, []", "running 2, 0 left, [1]", "completed [1, 2]"])
  }

  @Test func `from each of its steps it comes to the same results, whether somebody looks at the others or not`()
    async throws
  {
    let goals = Array(1...5)
    var stepCount = 0
    for try await step in Serial.start(stages: goals.map { UpdatingCount(to: $0) }, performer: globally).steps {
      stepCount += 1
      #expect(try await step.run() == goals)
      #expect(try await step.deferred(queue: .global()).value == goals)
      #expect(try await step.deferred(performer: globally).value == goals)
      #expect(try await step.deferred(performer: globally) { _ in true }.value == goals)
      #expect(step.unseen != nil)
    }
    #expect(stepCount == 7)
    #expect(UpdatingCount(to: 1).unseen == nil)
  }

  @Test func `a deferred of it runs it each time it is performed`() async throws {
    let deferred = Serial.start(stages: [MixedCount(to: 3), MixedCount(to: 1)], performer: globally)
      .deferred(performer: globally)
    #expect(try await deferred.value == [3, 1])
    #expect(try await deferred.value == [3, 1])
  }

  @Test func `cancelling the task ends it between two progressions`() async {
    let (started, mayGoOn) = (Tally(), Signal())
    let task = Task {
      let stages = (0..<3).map { _ in Waiting(started: started, mayGoOn: mayGoOn) }
      return try await Serial.start(stages: stages, performer: globally).run().count
    }
    await started.reach(1)
    task.cancel()
    mayGoOn.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(started.count == 1)
  }

  @Test func `a long series that ends at once takes no stack`() async {
    let count = Noted<Int>()
    await inThread(stackSize: 512 * 1_024) {
      (0..<20_000).map { _ in UpdatingCount(to: 2) }.serially(on: atOncePerformer).perform { use in
        count.add((try? use())?.count ?? -1)
      }
    }
    #expect(count.all == [20_000])
  }

  private struct Waiting: Progression {
    let started: Tally
    let mayGoOn: Signal
    var result: Int?

    mutating func advance() async throws {
      await started.add(thenAwait: mayGoOn)
      result = 0
    }
  }

  private struct Failing: Progression {
    let number: Int
    let started: Noted<Int>
    var result: Int?

    mutating func updateOrDeferNext() throws -> Deferred<Failing>? {
      started.add(number)
      if number == 2 { throw TestError(name: "\(number)") }
      result = number
      return nil
    }
  }
}
