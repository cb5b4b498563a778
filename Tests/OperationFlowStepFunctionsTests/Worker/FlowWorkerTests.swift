import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct FlowWorkerTests {
  private let service = ActivityService()
  private let events = EventList()

  @Test func `tasks are performed, and answered with what came of them`() async throws {
    let worker = FlowWorker.forTests(service, events: events) { input throws(FlowTaskFailure) in
      if input == "2" { throw FlowTaskFailure(cause: "no", mayBeRetried: true) }
      if input == "3" { throw FlowTaskFailure(cause: "never", mayBeRetried: false) }
      return "[\(input)]"
    }
    try await worker.run(3, of: service) { await service.answered.reach(3) }
    #expect(
      service.answers == [
        "t1": [.success("[1]")], "t2": [.failure(error: "OperationFlow.Failed", cause: "no")],
        "t3": [.failure(error: "OperationFlow.Final", cause: "never")],
      ])
    #expect(events.texts == ["1 began", "1 succeeded", "2 began", "2 failed", "3 began", "3 failed"])
    #expect(service.workers == ["w/0"])
    #expect(service.heartbeats.isEmpty)
  }

  @Test(arguments: 0..<8) func `it takes no task that it has no room for, and answers each once`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let concurrency = 1 + generator.below(5)
    let count = 50
    let delays = (0..<count).map { _ in generator.below(20) }
    let running = Locked((now: 0, peak: 0))
    let worker = FlowWorker.forTests(service, concurrency: concurrency) { input in
      running.withLock {
        $0.now += 1
        $0.peak = max($0.peak, $0.now)
      }
      for _ in 0..<delays[Int(input) ?? 0] { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return input
    }
    try await worker.run(0, of: service) {
      for number in 0..<count { service.add("\(number)") }
      await service.answered.reach(count)
    }
    #expect(running.withLock { $0.peak } <= concurrency)
    #expect(service.busiest <= concurrency)
    #expect(service.answers.values.allSatisfy { $0.count == 1 })
    #expect(
      Set(service.answers.values.compactMap(\.first)) == Set((0..<count).map { .success("\($0)") }))
  }

  @Test func `as many tasks run at once as it has room for`() async throws {
    let meeting = Meeting(size: 4)
    let worker = FlowWorker.forTests(service, concurrency: 4) { input in
      await meeting.attend()
      return input
    }
    try await worker.run(4, of: service) { await service.answered.reach(4) }
    #expect(service.workers == ["w/0", "w/1", "w/2", "w/3"])
  }

  @Test func `a poll that fails is made again after a delay that grows`() async throws {
    let clock = StepClock(jumps: true)
    service.refusePolls(with: (0..<4).map { _ in ScriptedTransport.refusal("ThrottlingException") })
    service.refusePolls(with: [CocoaError(.fileNoSuchFile)])
    let worker = FlowWorker.forTests(service, clock: clock, events: events) { $0 }
    try await worker.run(1, of: service) { await service.answered.reach(1) }
    #expect(events.texts == Array(repeating: "poll failed", count: 5) + ["1 began", "1 succeeded"])
    #expect(clock.delays.count >= 5)
    for (delay, longest) in zip(clock.delays, [0.5, 1, 2, 4, 8]) {
      #expect(delay >= .seconds(longest / 2) && delay <= .seconds(longest))
    }
  }

  @Test(arguments: ["AccessDeniedException", "UnrecognizedClientException", "clockSkew"])
  func `it ends at once if its credentials were never accepted`(code: String) async throws {
    service.refusePolls(with: [ScriptedTransport.refusal(code)])
    let worker = FlowWorker.forTests(service, clock: StepClock(jumps: true), events: events) { $0 }
    let error = await #expect(throws: StepFunctionsError.self) { try await worker.run() }
    #expect(error?.code == .init(code))
    #expect(service.polled.count == 1 && events.texts == [])
  }

  @Test(arguments: ["ActivityDoesNotExist", "InvalidArn"])
  func `it ends with an error that asking again doesn't change, once what runs has ended`(code: String) async throws {
    let (began, mayEnd) = (Signal(), Signal())
    let clock = StepClock(jumps: false)
    let worker = FlowWorker.forTests(service, clock: clock, concurrency: 2) { input in
      await began.fire(thenAwait: mayEnd)
      return input
    }
    service.add("1")
    let run = Task { try await worker.run() }
    await began.wait()
    await service.polled.reach(2)
    service.failPolls(with: ScriptedTransport.refusal(code))
    // Waits for the start of the grace period.
    await clock.waiting(1)
    mayEnd.fire()
    let error = await #expect(throws: StepFunctionsError.self) { try await run.value }
    #expect(error?.code == .init(code))
    #expect(service.answers == ["t1": [.success("1")]])
  }

  @Test func `credentials that were accepted before may be refused nine times in a row, and not ten times`()
    async throws
  {
    let worker = FlowWorker.forTests(service, clock: StepClock(jumps: true), events: events) { $0 }
    let refusal = ScriptedTransport.refusal("ExpiredTokenException")
    service.add("1")
    let run = Task { try await worker.run() }
    await service.polled.reach(2)
    service.refusePolls(with: Array(repeating: refusal, count: 8))
    service.failPolls(with: refusal)
    service.add("2")
    await service.answered.reach(2)
    await service.polled.reach(12)
    #expect(events.texts.count { $0 == "poll failed" } == 9)
    // An unreachable service reveals nothing about the credentials.
    service.refusePolls(with: Array(repeating: refusal, count: 8) + [CocoaError(.fileNoSuchFile)])
    service.refusePolls(with: Array(repeating: refusal, count: 10))
    service.failPolls(with: refusal)
    let error = await #expect(throws: StepFunctionsError.self) { try await run.value }
    #expect(error?.code == .init("ExpiredTokenException"))
    #expect(events.texts.count { $0 == "poll failed" } == 9 + 10 + 9)
    #expect(service.answers == ["t1": [.success("1")], "t2": [.success("2")]])
  }

  @Test func `a service that doesn't wait isn't asked all the time`() async throws {
    let clock = StepClock(jumps: false)
    let transport = ScriptedTransport { _, _ in "{}" }
    let worker = FlowWorker(
      performing: ClosurePerformer { $0 }, activityARN: "arn:a", client: StepFunctionsClient(transport: transport),
      clock: clock)
    let run = Task { try await worker.run() }
    for polls in 1...3 {
      await clock.waiting(1)
      #expect(transport.requests.count == polls)
      clock.advance(by: .seconds(1))
    }
    run.cancel()
    try await run.value
    #expect(clock.delays.allSatisfy { $0 == .seconds(1) || $0 == .seconds(30) })
  }

  @Test func `a worker that is cancelled before it runs takes nothing`() async throws {
    let worker = FlowWorker.forTests(service) { $0 }
    service.add("1")
    let run = Task {
      await untilCancelled()
      try await worker.run()
    }
    run.cancel()
    try await run.value
    #expect(service.polled.count == 0)
  }
}
