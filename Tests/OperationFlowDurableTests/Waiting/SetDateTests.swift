import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A step waits for a date, and someone sets the clock meanwhile.
@Suite(.watched) struct SetDateTests {
  private static let due = SetClock.start.addingTimeInterval(86_400)

  @Test(arguments: [false, true]) func `a date that a clock is set forward to is noticed in a minute`(isDurable: Bool)
    async
  {
    let clock = SetClock()
    let flow = Flow("Dated").clock(clock).wait(until: Self.due)
    let run = Task { isDurable ? await flow.run(id: "1", in: MemoryFlowStore()) : await flow.run() }
    await clock.steps.waiting(1)
    clock.set(by: .seconds(86_400))
    #expect(clock.steps.nextDeadline == .seconds(60))
    clock.advance(by: .seconds(60))
    let outcome = await run.value
    #expect(outcome.isSuccess && outcome.report.duration == .seconds(60))
  }

  @Test func `a date that a clock is set back from is waited for`() async throws {
    let clock = SetClock(jumps: true)
    let flow = Flow("Dated").clock(clock).add("set") { _ in clock.set(by: .seconds(-3_600)) }.wait(until: Self.due)
    let report = await flow.run().report
    #expect(report.duration == .seconds(90_000) && clock.date == Self.due)
  }

  @Test func `a time that is waited for is no date, whatever the clock is set to`() async throws {
    let clock = SetClock()
    let run = Flow("Timed").clock(clock).wait(.seconds(600)).start()
    await clock.steps.waiting(1)
    clock.set(by: .seconds(86_400))
    #expect(clock.steps.nextDeadline == .seconds(600))
    clock.advance(by: .seconds(600))
    #expect(await run.outcome.isSuccess)
  }

  @Test func `a clock whose dates follow its times isn't looked at before`() async {
    let clock = StepClock()
    let run = Flow("Dated").clock(clock).wait(until: Date().addingTimeInterval(86_400)).start()
    await clock.waiting(1)
    #expect(clock.nextDeadline.map { $0 > .seconds(80_000) } == true)
    run.cancel()
    _ = await run.outcome
  }

  @Test func `a run that was put away is woken in a minute`() async throws {
    let (clock, ended) = (SetClock(), Tally())
    let flow = Flow("Dated").clock(clock).wait(until: Self.due)
    let supervisor = FlowSupervisor(MemoryFlowStore(), flows: [flow], clock: clock) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("1", of: "Dated")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      await clock.steps.waiting(1)
      clock.set(by: .seconds(86_400))
      clock.advance(by: .seconds(60))
      await ended.reach(1)
    }
  }
}
