import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct HeartbeatTests {
  private let service = ActivityService()
  private let events = EventList()
  private let clock = StepClock(jumps: false)

  @Test func `heartbeats are sent at a third of the time that may pass between two`() async throws {
    let mayEnd = Signal()
    let worker = FlowWorker.forTests(service, clock: clock, heartbeat: .seconds(6)) { input in
      await mayEnd.wait()
      return input
    }
    try await worker.run(1, of: service) {
      for count in 1...3 {
        await clock.waiting(1)
        clock.advance(by: .seconds(2))
        await service.beaten.reach(count)
      }
      await clock.waiting(1)
      mayEnd.fire()
      await service.answered.reach(1)
    }
    #expect(service.heartbeats == ["t1", "t1", "t1"])
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(clock.delays.prefix(4) == ArraySlice(repeating: .seconds(2), count: 4))
  }

  @Test func `a time between heartbeats, and a grace period, that no clock can count to are long ones`() async throws {
    let mayEnd = Signal()
    let worker = FlowWorker.forTests(
      service, clock: clock, gracePeriod: .seconds(UInt64.max), heartbeat: .seconds(Int64.max)
    ) { input in
      await mayEnd.wait()
      return input
    }
    service.add("1")
    let run = Task { try await worker.run() }
    await clock.waiting(1)
    run.cancel()
    await clock.waiting(2)
    mayEnd.fire()
    try await run.value
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(clock.delays == [.seconds(3_155_760_000), .seconds(3_155_760_000)])
  }

  @Test(arguments: ["TaskTimedOut", "InvalidToken", "TaskDoesNotExist"])
  func `a heartbeat that says that no one waits cancels the work, and nothing is answered`(code: String) async throws {
    let worker = FlowWorker.forTests(service, clock: clock, heartbeat: .seconds(3), events: events) { input in
      if input == "1" { await untilCancelled() }
      return input
    }
    service.refuse("t1", with: code)
    try await worker.run(2, of: service) {
      await clock.waiting(1)
      clock.advance(by: .seconds(1))
      await service.answered.reach(1)
    }
    // The only answer is that of the second task.
    #expect(service.answered.count == 1)
    #expect(service.answers == ["t2": [.success("2")]])
    #expect(events.texts == ["1 began", "1 cancelled: \(code)", "2 began", "2 succeeded"])
  }

  @Test(arguments: [(limit: 60, timeout: 20), (limit: 2, timeout: 1)])
  func `a heartbeat that stalls is given up before the next is due, which comes sooner`(
    seconds: (limit: Int, timeout: Int)
  ) async throws {
    service.break("SendTaskHeartbeat")
    let mayEnd = Signal()
    let worker = FlowWorker.forTests(
      service, clock: clock, attempts: 6, heartbeat: .seconds(seconds.limit), events: events
    ) { input in
      await mayEnd.wait()
      return input
    }
    try await worker.run(1, of: service) {
      await clock.waiting(1)
      clock.advance(by: .seconds(seconds.limit) / 3)
      await service.beaten.reach(1)
      await clock.waiting(1)
      clock.advance(by: .milliseconds(500))
      await service.beaten.reach(2)
      await clock.waiting(1)
      mayEnd.fire()
      await service.answered.reach(1)
    }
    // The client's own attempts would need longer.
    #expect(service.heartbeatTimeouts == [.seconds(seconds.timeout), .seconds(seconds.timeout)])
    #expect(events.texts.count { $0 == "1 without heartbeat" } == 2 && service.answers == ["t1": [.success("1")]])
  }
}
