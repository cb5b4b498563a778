import Dispatch
import Foundation
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct StepDriverTests {
  @Test(arguments: 0..<countings.count)
  func `every way to write a step runs on a queue, and progress sees each step on it`(way: Int) async throws {
    func steps<Count: Counting>(_ type: Count.Type) async throws {
      let marked = MarkedQueue()
      let steps = Noted<Int>()
      let deferred = type.init(step: 2, goal: 7).deferred(queue: marked.queue) { step in
        steps.add(marked.isCurrent ? step.step : -1)
        return true
      }
      #expect(try await deferred.value == 7)
      #expect(steps.all == [2, 3, 4, 5, 6, 7])
      #expect(try await deferred.value == 7)
      #expect(steps.all.count == 12)
    }
    try await steps(countings[way])
  }

  @Test(arguments: 0..<countings.count)
  func `the performer is called for every step`(way: Int) async throws {
    func steps<Count: Counting>(_ type: Count.Type) async throws {
      let calls = Tally()
      let deferred = type.init(to: 5).deferred(performer: { work in
        calls.add()
        DispatchQueue.global().async(execute: work)
      })
      #expect(try await deferred.value == 5)
      #expect(calls.count == 6)
      #expect(try await type.init(to: 5).deferred(performer: atOncePerformer).value == 5)
    }
    try await steps(countings[way])
  }

  @Test(arguments: 0..<countings.count)
  func `progress cancels by returning false`(way: Int) async {
    func cancel<Count: Counting>(_ type: Count.Type) async {
      let steps = Noted<Int>()
      let deferred = type.init(to: 9).deferred(queue: .global()) { step in
        steps.add(step.step)
        return step.step < 4
      }
      let error = await #expect(throws: FlowError.self) { try await deferred.value }
      #expect(error?.code == .cancelled)
      #expect(steps.all == [0, 1, 2, 3, 4])
    }
    await cancel(countings[way])
  }

  @Test func `an error ends it, however the step fails`() async {
    enum Failing: Progression {
      case throwing, unit, future, later, dropped
      var result: Int? { nil }
      mutating func updateOrDeferNext() throws -> Deferred<Failing>? {
        switch self {
        case .throwing: throw TestError()
        case .unit: .unit { throw TestError() }
        case .future: .future { resolve in resolve { throw TestError() } }
        case .later: .future { resolve in DispatchQueue.global().async { resolve { throw TestError() } } }
        case .dropped: .future { _ in }
        }
      }
    }
    for step in [Failing.throwing, .unit, .future, .later] {
      await #expect(throws: TestError()) { try await step.deferred(queue: .global()).value }
      await #expect(throws: TestError()) { try await step.run() }
    }
    await #expect(throws: FlowError.self) { try await Failing.dropped.deferred(queue: .global()).value }
    await #expect(throws: FlowError.self) { try await Failing.dropped.run() }
    struct FailingAdvance: Progression {
      // The thread sanitizer reads the address of an `inout` value, and a value without storage has none.
      let storage = 0
      var result: Int? { nil }
      mutating func advance() async throws { throw TestError() }
    }
    await #expect(throws: TestError()) { try await FailingAdvance().deferred(queue: .global()).value }
  }

  @Test func `what a callback brings is looked at on the queue`() async throws {
    struct Answer: Progression {
      let marked: MarkedQueue
      var result: Bool?
      func next() -> Deferred<Answer> {
        .future { resolve in
          DispatchQueue.global().async { resolve { Answer(marked: marked, result: marked.isCurrent) } }
        }
      }
    }
    let marked = MarkedQueue()
    #expect(try await Answer(marked: marked).deferred(queue: marked.queue).value)
  }

  @Test func `others get at a queue while a long progression runs on it`() async throws {
    let queue = DispatchQueue(label: "shared")
    let isOpen = Locked(false)
    let deferred = UpdatingCount(to: .max).deferred(queue: queue) { step in
      // The other block can run only between two turns: a turn that never ends would never see the change.
      if step.step == 0 { queue.async { isOpen.withLock { $0 = true } } }
      return !isOpen.withLock { $0 }
    }
    await #expect(throws: FlowError.self) { try await deferred.value }
  }

  @Test func `each step is a block of its own on the main queue`() async throws {
    let steps = Noted<String>()
    let deferred = UpdatingCount(to: 3).deferred(queue: .main) { step in
      steps.add("\(step.step)")
      DispatchQueue.main.async { steps.add("event") }
      return true
    }
    #expect(try await deferred.value == 3)
    #expect(steps.all.prefix(6) == ["0", "event", "1", "event", "2", "event"])
  }

  @Test func `a performer that performs twice, or never, does no harm`() async throws {
    let twice: AsyncPerformer = { work in
      work()
      work()
    }
    let steps = Noted<Int>()
    let deferred = UpdatingCount(to: 5).deferred(performer: twice) { step in
      steps.add(step.step)
      return true
    }
    #expect(try await deferred.value == 5)
    #expect(steps.all == [0, 1, 2, 3, 4, 5])
    let error = await #expect(throws: FlowError.self) {
      try await UpdatingCount(to: 5).deferred(performer: { _ in }).value
    }
    #expect(error?.code == .neverFinished)
  }

  @Test func `a million steps need no more stack than one, in every way of running`() async throws {
    let count = TestSettings.longCount
    let queue = DispatchQueue(label: "million")
    #expect(try await UpdatingCount(to: count).deferred(queue: queue).value == count)
    #expect(try await UnitCount(to: count).deferred(queue: queue).value == count)
    #expect(try await ImmediateCount(to: count).deferred(queue: queue).value == count)
    #expect(try await UpdatingCount(to: count).deferred(performer: atOncePerformer).value == count)
    #expect(try await ImmediateCount(to: count).deferred(performer: atOncePerformer).value == count)
    #expect(try await AdvancingCount(to: 20_000).deferred(performer: atOncePerformer).value == 20_000)
  }
}
