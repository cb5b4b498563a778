import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct WorkerAnswerTests {
  private let service = ActivityService()
  private let events = EventList()

  @Test(arguments: [
    ("TaskTimedOut", "refused: TaskTimedOut"), ("InvalidToken", "refused: InvalidToken"),
    ("TaskDoesNotExist", "refused: TaskDoesNotExist"), ("InvalidOutput", "lost"),
  ])
  func `an answer that comes too late, or that the service can't take, is told at once and does no harm`(
    code: String, told: String
  ) async throws {
    let worker = FlowWorker.forTests(service, events: events) { $0 }
    service.refuse("t1", with: code)
    try await worker.run(2, of: service) { await service.answered.reach(2) }
    #expect(service.answers == ["t2": [.success("2")]])
    #expect(events.texts == ["1 began", "1 \(told)", "2 began", "2 succeeded"])
  }

  @Test func `an answer that doesn't reach the service is sent until it does, with delays that grow`() async throws {
    let clock = StepClock(jumps: true)
    // More failures than a call has attempts. The clock jumps, so a mend might follow the last of all attempts.
    service.break("SendTaskSuccess", times: 12)
    let worker = FlowWorker.forTests(service, clock: clock, attempts: 3, events: events) { $0 }
    try await worker.run(1, of: service) { await service.polled.reach(2) }
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(events.texts.first == "1 began" && events.texts.last == "1 succeeded")
    #expect(events.texts.dropFirst().dropLast().allSatisfy { $0 == "1 delayed" })
    #expect(events.texts.count >= 6)
    for (delay, longest) in zip(clock.delays, [0.5, 1, 2, 4]) {
      #expect(delay >= .seconds(longest / 2) && delay <= .seconds(longest))
    }
  }

  @Test func `while an answer is on its way, heartbeats keep the service waiting`() async throws {
    let clock = StepClock(jumps: false)
    service.break("SendTaskSuccess")
    let worker = FlowWorker.forTests(service, clock: clock, heartbeat: .seconds(3), events: events) { $0 }
    try await worker.run(1, of: service) {
      for count in 1...5 {
        // The answer's delay, and the next heartbeat.
        await clock.waiting(2)
        clock.advance(by: .seconds(1))
        await service.beaten.reach(count)
      }
      await clock.waiting(2)
      service.mend("SendTaskSuccess")
      clock.advance(by: .seconds(30))
      await service.polled.reach(2)
    }
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(service.heartbeats.count >= 5)
  }

  @Test func `an answer that still hasn't arrived when the grace period ends is told as lost`() async throws {
    let clock = StepClock(jumps: false)
    service.break("SendTaskSuccess")
    let worker = FlowWorker.forTests(service, clock: clock, events: events) { $0 }
    service.add("1")
    let run = Task { try await worker.run() }
    await clock.waiting(1)
    run.cancel()
    // The delay, and the grace period.
    await clock.waiting(2)
    clock.advance(by: .seconds(30))
    try await run.value
    #expect(service.answers.isEmpty)
    #expect(events.texts.prefix(2) == ["1 began", "1 delayed"])
    #expect(events.texts.last == "1 lost")
  }

  @Test func `an answer is sent when the service is back, also if it refuses the credentials at first`() async throws {
    let clock = StepClock(jumps: true)
    // More failures than the number of refusals after which an answer is lost: broken connections don't count.
    service.break("SendTaskSuccess", with: CocoaError(.fileNoSuchFile), times: 20)
    service.refuse("t1", with: "ExpiredTokenException", times: 9)
    let worker = FlowWorker.forTests(service, clock: clock, events: events) { $0 }
    try await worker.run(1, of: service) { await service.polled.reach(2) }
    #expect(service.answers == ["t1": [.success("1")]] && service.answered.count == 20 + 9 + 1)
    #expect(events.texts.last == "1 succeeded")
  }

  @Test func `a delayed answer is given up if a heartbeat says that no one waits for it`() async throws {
    let clock = StepClock(jumps: false)
    service.break("SendTaskSuccess")
    service.refuse("t1", with: "TaskTimedOut")
    let worker = FlowWorker.forTests(service, clock: clock, heartbeat: .seconds(3), events: events) { $0 }
    try await worker.run(1, of: service) {
      // The answer's delay, which is shorter, and the heartbeat.
      await clock.waiting(2)
      clock.advance(by: .seconds(1))
      await service.beaten.reach(1)
      // The steps are small, because answers must not be sent endlessly, and the worker may notice the refusal late.
      while service.polled.count < 2 {
        clock.advance(by: .milliseconds(10))
        await Task.yield()
      }
    }
    #expect(service.answers.isEmpty)
    #expect(events.texts.first == "1 began" && events.texts.last == "1 refused: TaskTimedOut")
  }

  @Test func `an answer is sent while the service is too busy to take it`() async throws {
    service.refuse("t1", with: "ThrottlingException", times: 50)
    let worker = FlowWorker.forTests(service, clock: StepClock(jumps: true), events: events) { $0 }
    try await worker.run(1, of: service) { await service.polled.reach(2) }
    #expect(service.answers == ["t1": [.success("1")]])
  }

  @Test func `an answer that has to wait when the grace period ends is sent a last time`() async throws {
    let clock = StepClock(jumps: false)
    service.break("SendTaskSuccess")
    let worker = FlowWorker.forTests(service, clock: clock, attempts: 3, gracePeriod: .zero, events: events) { $0 }
    try await worker.run(1, of: service) {
      await clock.waiting(1)
      #expect(service.answered.count == 3)
      service.mend("SendTaskSuccess")
    }
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(events.texts == ["1 began", "1 delayed", "1 succeeded"])
  }

  @Test func `an answer is sent two hundred times at most`() async throws {
    service.break("SendTaskSuccess")
    let worker = FlowWorker.forTests(service, clock: StepClock(jumps: true), events: events) { $0 }
    try await worker.run(1, of: service) { await service.polled.reach(2) }
    #expect(service.answered.count == 200 && events.texts.last == "1 lost")
  }

  @Test func `an answer whose credentials are refused is sent ten times`() async throws {
    service.refuse("t1", with: "ExpiredTokenException")
    let worker = FlowWorker.forTests(service, clock: StepClock(jumps: true), events: events) { $0 }
    try await worker.run(2, of: service) { await service.answered.reach(11) }
    #expect(service.answers == ["t2": [.success("2")]])
    #expect(
      events.texts == ["1 began"] + Array(repeating: "1 delayed", count: 9) + ["1 lost", "2 began", "2 succeeded"])
  }
}
