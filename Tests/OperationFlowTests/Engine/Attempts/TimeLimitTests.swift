import OperationFlowTesting
import Testing

@testable import OperationFlow

@Suite(.watched) struct TimeLimitTests {
  @Test func `each attempt has its time, and fails as timed out`() async throws {
    let clock = ManualClock()
    let flow = Flow().add("waits", .timeout(.seconds(5)), .retry(.attempts(3))) { context in
      if context.attempt < 3 { try await clock.sleep(for: .seconds(3600)) }
    }
    let report = await flow.run(on: clock).report
    #expect(report.steps.first?.attempts == 3 && report.steps.first?.end == .succeeded)
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `all attempts together have a time`() async {
    let clock = ManualClock()
    let flow = Flow("Slow")
      .add("waits", .timeout(.seconds(12), of: .allAttempts), .timeout(.seconds(5)), .retry(.attempts(9))) { _ in
        try await clock.sleep(for: .seconds(3600))
      }
    let outcome = await flow.run(on: clock)
    let error = outcome.error as? FlowError
    #expect(error?.code == .timedOut && error?.attempt == 3 && error?.step == "[waits]")
    #expect(error?.problem.contains("in 3 attempts") == true && outcome.failure?.attempt == 3)
    #expect(clock.now.offset == .seconds(12))
  }

  @Test func `the time of all attempts also ends a delay`() async {
    let clock = ManualClock()
    let flow = Flow()
      .add("broken", .timeout(.seconds(10), of: .allAttempts), .retry(.attempts(9, delay: .seconds(60)))) { _ in
        throw TestError()
      }
    let outcome = await flow.run(on: clock)
    #expect((outcome.error as? FlowError)?.code == .timedOut && outcome.failure?.attempt == 1)
    #expect(outcome.report.steps.map(\.attempts) == [1] && outcome.report.steps.map(\.end) == [.failed])
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `an operation object can have a time, too`() async {
    let clock = SleepingClock()
    let run = Flow().clock(clock)
      .add(operation: BlockOp("silent") { $0.startWithAsynchronous() }, .timeout(.seconds(1))).start()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(1))
    #expect((await run.outcome.error as? FlowError)?.code == .timedOut)
  }

  @Test func `items have a time each`() async {
    let clock = ManualClock()
    let flow = Flow().forEach(in: 0..<4, width: 4, tolerating: .all, .timeout(.seconds(1))) {
      (item: Int, _) async throws in
      if item == 2 { try await clock.sleep(for: .seconds(3600)) }
    }
    let report = await flow.run(on: clock).report
    #expect(report.itemFailures.map(\.index) == [2])
    #expect((report.itemFailures.first?.error as? FlowError)?.code == .timedOut)
  }

  @Test func `a run waits for work that has timed out`() async {
    let clock = SleepingClock()
    let (wasCancelled, mayEnd) = (Signal(), Signal())
    let run = Flow().clock(clock).add("stubborn", .timeout(.seconds(1))) { _ in
      await untilCancelled()
      wasCancelled.fire()
      await mayEnd.wait()
    }.start()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    #expect(run.currentOutcome == nil)
    mayEnd.fire()
    #expect((await run.outcome.error as? FlowError)?.code == .timedOut)
  }

  @Test func `work that is abandoned changes nothing when it ends, and the record says so`() async {
    let clock = SleepingClock()
    let (hasBegun, wasCancelled, mayEnd, hasEnded) = (Signal(), Signal(), Signal(), Signal())
    let run = Flow().clock(clock)
      .observe { if case .endedLate = $0.kind { hasEnded.fire() } }
      .add("hangs", .timeout(.seconds(1), abandoningAfter: .seconds(2)), .recover { _, _ in }) { context in
        hasBegun.fire()
        await untilCancelled()
        wasCancelled.fire()
        await mayEnd.wait()
        #expect(context.isCancelled)
      }
      .add("next") { _ in
        mayEnd.fire()
        await hasEnded.wait()
      }.start()
    // Otherwise the time might be over before it begins, and then it doesn't.
    await hasBegun.wait()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(2))
    let outcome = await run.outcome
    #expect(outcome.isSuccess)
    #expect(outcome.report.lines.contains { $0.hasPrefix("[hangs] ended too late, which changes nothing") })
    #expect(outcome.report.lines.contains("[hangs] warning: has timed out, and is not waited for any longer"))
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded])
  }

  @Test func `a run that is cancelled still abandons what has timed out`() async {
    let clock = SleepingClock()
    let (wasCancelled, mayEnd) = (Signal(), Signal())
    let run = Flow().clock(clock)
      .add("hangs", .timeout(.seconds(1), abandoningAfter: .seconds(2))) { _ in
        await untilCancelled()
        wasCancelled.fire()
        await mayEnd.wait()
      }.start()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    run.cancel()
    #expect(run.currentOutcome == nil)
    await clock.somethingSleeps()
    clock.advance(by: .seconds(2))
    #expect(await run.outcome.isCancelled)
    mayEnd.fire()
  }

  @Test func `a deadline ends the whole run`() async {
    let clock = SleepingClock()
    let started = Signal()
    let run = Flow("Late").clock(clock).deadline(.seconds(60))
      .add("waits") { _ in
        started.fire()
        await untilCancelled()
      }
      .add("never") { _ in }.start()
    await started.wait()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(60))
    let outcome = await run.outcome
    let error = outcome.error as? FlowError
    #expect(error?.code == .deadlineExceeded && error?.flow == "Late")
    #expect(outcome.failure?.name == "[Late]" && outcome.failure?.error is FlowError)
    #expect(outcome.report.steps.last?.end == .neverRan)
    #expect(outcome.report.summary.contains("Flow isSuccess: false, failed in [Late]: the run took longer than"))
  }

  @Test func `a run that ends in time does not wait for its deadline`() async {
    let clock = SleepingClock()
    #expect(await Flow().clock(clock).deadline(.seconds(60)).step().run().isSuccess)
    // The end is told before its timers are stopped.
    while clock.sleeperCount > 0 { await Task.yield() }
  }
}
