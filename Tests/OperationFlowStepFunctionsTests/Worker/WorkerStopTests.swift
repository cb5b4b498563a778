import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct WorkerStopTests {
  private let service = ActivityService()
  private let events = EventList()
  private let clock = StepClock(jumps: false)

  @Test func `what runs when it is cancelled may end, and nothing more is taken`() async throws {
    let (began, mayEnd) = (Signal(), Signal())
    let worker = FlowWorker.forTests(service, clock: clock) { input in
      await began.fire(thenAwait: mayEnd)
      return Task.isCancelled ? "cancelled" : input
    }
    service.add("1")
    let run = Task { try await worker.run() }
    await began.wait()
    run.cancel()
    service.add("2")
    // Waits for the start of the grace period.
    await clock.waiting(1)
    clock.advance(by: .seconds(29))
    mayEnd.fire()
    try await run.value
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(service.polled.count == 1)
  }

  @Test func `what takes longer than the grace period is cancelled, and may be done by another worker`() async throws {
    let began = Tally()
    let worker = FlowWorker.forTests(service, clock: clock, concurrency: 2, events: events) {
      input throws(FlowTaskFailure) in
      await began.addUntilCancelled()
      if input == "1" { throw FlowTaskFailure(cause: "cancelled", mayBeRetried: false) }
      // Work that ends after the cancellation isn't lost.
      return "done"
    }
    service.add("1")
    service.add("2")
    let run = Task { try await worker.run() }
    await began.reach(2)
    run.cancel()
    await clock.waiting(1)
    clock.advance(by: .seconds(30))
    try await run.value
    let answers = service.answers.values.compactMap(\.first)
    #expect(answers.contains(.success("done")))
    let failure = answers.compactMap { if case .failure(let error, let cause) = $0 { (error, cause) } else { nil } }
    #expect(failure.count == 1)
    #expect(failure.first?.0 == "OperationFlow.Stopped")
    #expect(failure.first?.1.contains("grace period") == true)
  }

  @Test func `open polls are cut off`() async throws {
    let worker = FlowWorker.forTests(service, clock: clock, concurrency: 3) { $0 }
    try await worker.run(0, of: service) {
      await service.polled.reach(3)
      #expect(service.openPolls == 3)
    }
    #expect(service.openPolls == 0)
  }

  @Test func `open polls may go on for the grace period, and what they bring is performed`() async throws {
    let worker = FlowWorker.forTests(service, clock: clock, concurrency: 2, awaitsOpenPolls: true) { $0 }
    let run = Task { try await worker.run() }
    await service.polled.reach(2)
    run.cancel()
    await clock.waiting(1)
    #expect(service.openPolls == 2)
    service.add("1")
    await service.answered.reach(1)
    clock.advance(by: .seconds(30))
    try await run.value
    #expect(service.answers == ["t1": [.success("1")]])
    #expect(service.openPolls == 0)
    #expect(service.polled.count == 2)
  }

  @Test func `it can run again`() async throws {
    let worker = FlowWorker.forTests(service, clock: clock) { $0 }
    for number in 1...2 {
      service.add("\(number)")
      try await worker.run(0, of: service) { await service.answered.reach(number) }
    }
    #expect(service.answers == ["t1": [.success("1")], "t2": [.success("2")]])
  }
}
