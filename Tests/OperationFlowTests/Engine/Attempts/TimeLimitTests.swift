import OperationFlow
import OperationFlowTesting
import Testing

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
    #expect(
      error?.path == "1. waits" && error?.flow == "Slow" && error?.description.hasSuffix(error?.remedy ?? "-") == true)
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
    #expect(outcome.code == .timedOut && outcome.failure?.attempt == 1)
    #expect(outcome.report.steps.map(\.attempts) == [1] && outcome.report.steps.map(\.end) == [.failed])
    #expect(clock.now.offset == .seconds(10))
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

  @Test func `a run waits for work that has timed out, a closure's or an operation's`() async {
    let clock = StepClock()
    let (hasBegun, wasCancelled, mayEnd) = (Signal(), Signal(), Signal())
    let run = Flow().clock(clock)
      .add(operation: BlockOp("silent") { $0.startWithAsynchronous() }, .timeout(.seconds(1)), .recover { _, _ in })
      .add("stubborn", .timeout(.seconds(1))) { _ in
        await hasBegun.fireUntilCancelled()
        await wasCancelled.fire(thenAwait: mayEnd)
      }.start()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await hasBegun.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    #expect(run.currentOutcome == nil)
    mayEnd.fire()
    let outcome = await run.outcome
    #expect(outcome.code == .timedOut && outcome.report.recoveries.map(\.name) == ["[silent]"])
  }

  @Test func `work that is abandoned changes nothing when it ends, and the record says so`() async {
    let clock = StepClock()
    let (hasBegun, wasCancelled, mayEnd, hasEnded) = (Signal(), Signal(), Signal(), Signal())
    let run = Flow().clock(clock)
      .observe { if case .endedLate = $0.kind { hasEnded.fire() } }
      .add("hangs", .timeout(.seconds(1), abandoningAfter: .seconds(2)), .recover { _, _ in }) { context in
        await hasBegun.fireUntilCancelled()
        await wasCancelled.fire(thenAwait: mayEnd)
        #expect(context.isCancelled)
      }
      .add("next") { _ in await mayEnd.fire(thenAwait: hasEnded) }.start()
    // Otherwise the time might be over before the step begins, and then it never begins.
    await hasBegun.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(2))
    let outcome = await run.outcome
    #expect(outcome.isSuccess)
    #expect(outcome.report.lines.contains { $0.hasPrefix("[hangs] ended after its timeout (ignored): ") })
    #expect(outcome.report.lines.contains("[hangs] warning: timed out and was abandoned"))
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded])
  }

  @Test func `a run that is cancelled still abandons what has timed out`() async {
    let clock = StepClock()
    let (hasBegun, wasCancelled, mayEnd) = (Signal(), Signal(), Signal())
    let run = Flow().clock(clock)
      .add("hangs", .timeout(.seconds(1), abandoningAfter: .seconds(2))) { _ in
        await hasBegun.fireUntilCancelled()
        await wasCancelled.fire(thenAwait: mayEnd)
      }.start()
    await hasBegun.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    run.cancel()
    #expect(run.currentOutcome == nil)
    await clock.waiting(1)
    clock.advance(by: .seconds(2))
    #expect(await run.outcome.isCancelled)
    mayEnd.fire()
  }

  @Test func `a deadline ends the whole run`() async {
    let clock = StepClock()
    let started = Signal()
    let run = Flow("Late").clock(clock).deadline(.seconds(60))
      .add("waits") { _ in await started.fireUntilCancelled() }
      .add("never") { _ in }.start()
    await started.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(60))
    let outcome = await run.outcome
    let error = outcome.error as? FlowError
    #expect(error?.code == .deadlineExceeded && error?.flow == "Late")
    #expect(outcome.failure?.name == "[Late]" && outcome.failure?.error is FlowError)
    #expect(outcome.report.steps.last?.end == .neverRan)
    #expect(outcome.report.summary.contains("Flow isSuccess: false, failed in [Late]: the run took longer than"))
  }

  @Test func `a run that ends in time does not wait for its deadline`() async {
    let clock = StepClock()
    #expect(await Flow().clock(clock).deadline(.seconds(60)).step().run().isSuccess)
    // The outcome is there before the timers are stopped.
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  @Test func `one task waits for all timers of a run, and none if no timer is asked for`() async {
    let clock = StepClock()
    let running = Tally()
    let mayEnd = Signal()
    let branches = Dictionary(
      uniqueKeysWithValues: (0..<8).map { number in
        (
          "\(number)",
          Flow().add("timed", .timeout(.seconds(5))) { _ in await running.add(thenAwait: mayEnd) }
        )
      })
    let run = Flow().clock(clock).addParallel("all", branches).start()
    await running.reach(8)
    await clock.waiting(1)
    #expect(clock.mostSleepers == 1)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)

    let idle = StepClock()
    #expect(await Flow().clock(idle).step().forEach(in: 0..<10) { _, _ in }.run().isSuccess)
    #expect(idle.delays.count == 0)
  }

  @Test func `a timeout in one branch leaves the other at work`() async {
    let clock = StepClock()
    let (hasRetried, mayEnd) = (Signal(), Signal())
    let flow = Flow().clock(clock).addParallel(
      "both",
      [
        "timed": Flow().add("timed", .retry(.attempts(2)), .timeout(.seconds(5))) { context in
          if context.attempt == 1 { return await untilCancelled() }
          hasRetried.fire()
        },
        "other": Flow().add("other") { context in
          await mayEnd.wait()
          #expect(!context.isCancelled)
        },
      ])
    let run = flow.start()
    await clock.waiting(1)
    clock.advance(by: .seconds(5))
    await hasRetried.wait()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }
}
