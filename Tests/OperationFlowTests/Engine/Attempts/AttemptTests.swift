import OperationFlowTesting
import Testing

@testable import OperationFlow

/// Attempts, delays and timeouts, which the engine knows before the builder offers them.
@Suite(.watched) struct AttemptTests {
  @Test func `a step that fails is tried again after its delay, and no real time passes`() async {
    let clock = ManualClock()
    let flow = Flow()
      .add("flaky", AttemptPlan(count: 3, delay: .seconds(60))) { context in
        if context.attempt < 3 { throw TestError(name: "\(context.attempt)") }
      }
    let outcome = await flow.run(on: clock)
    #expect(outcome.isSuccess && clock.now.offset == .seconds(120))
    let attempts = outcome.report.events.filter { $0.kind == .started }.map(\.attempt)
    #expect(attempts == [1, 2, 3] && outcome.report.stepCount == 1)
  }

  @Test func `the last attempt's error is the step's`() async {
    let flow = Flow().add("broken", AttemptPlan(count: 3)) { throw TestError(name: "\($0.attempt)") }
    let outcome = await flow.run()
    #expect(outcome.error as? TestError == TestError(name: "3"))
  }

  @Test func `an attempt that takes too long is cancelled, and fails as timed out with its place`() async throws {
    let clock = SleepingClock()
    let flow = Flow("Slow").clock(clock)
      .add("waits", AttemptPlan(count: 2, timeout: .seconds(5))) { context in
        await untilCancelled()
        #expect(context.isCancelled)
      }
    let run = flow.start()
    for _ in 0..<2 {
      await clock.somethingSleeps()
      clock.advance(by: .seconds(5))
    }
    let error = try #require(await run.outcome.error as? FlowError)
    #expect(error.code == .timedOut && error.path == "1. waits" && error.attempt == 2 && error.flow == "Slow")
    #expect(error.description.hasSuffix(error.remedy))
  }

  @Test func `an attempt that ends in time stops its timer`() async {
    let clock = SleepingClock()
    let (isTimed, mayEnd) = (Signal(), Signal())
    let flow = Flow().clock(clock).add("quick", AttemptPlan(timeout: .seconds(5))) { _ in
      isTimed.fire()
      await mayEnd.wait()
    }
    let run = flow.start()
    await isTimed.wait()
    await clock.somethingSleeps()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
    clock.advance(by: .seconds(60))
    #expect(run.currentOutcome?.isSuccess == true)
  }

  @Test func `one task waits for all timers of a run, and none if no timer is asked for`() async {
    let clock = SleepingClock()
    let running = Tally()
    let mayEnd = Signal()
    let step = AttemptPlan(timeout: .seconds(5))
    let branches = Dictionary(
      uniqueKeysWithValues: (0..<8).map { number in
        (
          "\(number)",
          Flow().add("timed", step) { _ in
            running.add()
            await mayEnd.wait()
          }
        )
      })
    let run = Flow().clock(clock).addParallel("all", branches).start()
    await running.reach(8)
    await clock.somethingSleeps()
    #expect(clock.mostSleepers == 1)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)

    let idle = SleepingClock()
    #expect(await Flow().clock(idle).step().forEach(in: 0..<10) { _, _ in }.run().isSuccess)
    #expect(idle.sleepCount == 0)
  }

  @Test func `a timeout in one branch leaves the other at work`() async {
    let clock = SleepingClock()
    let (hasRetried, mayEnd) = (Signal(), Signal())
    let flow = Flow().clock(clock).addParallel(
      "both",
      [
        "timed": Flow().add("timed", AttemptPlan(count: 2, timeout: .seconds(5))) { context in
          if context.attempt == 1 { return await untilCancelled() }
          hasRetried.fire()
        },
        "other": Flow().add("other") { context in
          await mayEnd.wait()
          #expect(!context.isCancelled)
        },
      ])
    let run = flow.start()
    await clock.somethingSleeps()
    clock.advance(by: .seconds(5))
    await hasRetried.wait()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `cancelling ends a delay at once`() async {
    let clock = SleepingClock()
    let run = Flow().clock(clock)
      .add("broken", AttemptPlan(count: 9, delay: .seconds(60))) { _ in throw TestError() }.start()
    await clock.somethingSleeps()
    run.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `a run that only waits for a delay goes on though nothing holds it`() async {
    let clock = SleepingClock()
    let hasEnded = Signal()
    do {
      _ = Flow().clock(clock).add("flaky", AttemptPlan(count: 2, delay: .seconds(1))) { context in
        if context.attempt == 1 { throw TestError() }
        hasEnded.fire()
      }.start()
    }
    await clock.somethingSleeps()
    clock.advance(by: .seconds(1))
    await hasEnded.wait()
  }

  @Test func `items are tried again, keep their attempt in the record, and fail once`() async throws {
    let flow = Flow()
    let group = TypedGroup<Int, Int>(FlowKey<[Int]>("out"), 2, .all) { SequenceItems(0..<4) }
      .running { (item: Int, context: FlowContext) throws -> Int in
        if item == 1 || (item == 2 && context.attempt == 1) { throw TestError(name: "\(item)") }
        return item * 10 + context.attempt
      }
    var step = Blueprint.Step(name: "group", kind: .group(group))
    step.options.attempts = AttemptPlan(count: 3)
    _ = flow.add(step, nil)
    let report = await flow.run().report
    #expect(report[FlowKey<[Int]>("out")] == [1, 22, 31])
    let failure = try #require(report.itemFailures.first)
    #expect(report.itemFailures.count == 1 && failure.index == 1 && failure.attempt == 3)
    let tries = report.events.filter { $0.kind == .started && $0.source.item == 1 }.map(\.attempt)
    #expect(tries == [1, 2, 3])
  }
}
