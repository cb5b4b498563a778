import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct LimitedStepTests {
  /// Starts a flow that has the permit of a limiter until the signal.
  private func hold(_ limiter: FlowLimiter, until mayEnd: Signal) async -> FlowRun {
    let isThere = Signal()
    let run = Flow("holder").add("holds", .limited(by: limiter)) { _ in await isThere.fire(thenAwait: mayEnd) }.start()
    await isThere.wait()
    return run
  }

  @Test func `runs have their turns in the order in which they asked`() async {
    let (limiter, trail, mayEnd) = (FlowLimiter(atMost: 1), Journal<Int>(), Signal())
    let holder = await hold(limiter, until: mayEnd)
    var runs: [FlowRun] = []
    for number in 1...10 {
      let flow = Flow().add("waits", .limited(by: limiter)) { _ in trail.append(number) }
      runs.append(number == 5 ? Flow().add(flow: flow).start() : flow.start())
      while limiter.waitingCount < number { await Task.yield() }
    }
    mayEnd.fire()
    for run in [holder] + runs { #expect(await run.outcome.isSuccess) }
    #expect(trail.entries == Array(1...10) && limiter.isIdle)
  }

  @Test func `a step that waits for a permit has not started, and says what it waits for`() async throws {
    let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
    let holder = await hold(limiter, until: mayEnd)
    let run = Flow().add("before") { _ in }.add("limited", .limited(by: limiter)) { _ in }.start()
    while limiter.waitingCount == 0 { await Task.yield() }
    #expect(run.recorder.log.events.filter { $0.kind == .started }.map(\.source.name) == ["before"])
    while run.waitingFor.first?.reason != .limit { await Task.yield() }
    let waiting = try #require(run.waitingFor.first)
    #expect(waiting.source.name == "limited" && waiting.path == "2. limited" && run.waitingFor.count == 1)
    mayEnd.fire()
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.report.started == ["[before]", "[limited]"])
    #expect(outcome.report.lines.count == 6, "waiting leaves no line")
    _ = await holder.outcome
  }

  @Test func `a run that is cancelled while it waits ends at once, and its step never starts`() async {
    let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
    let holder = await hold(limiter, until: mayEnd)
    let operation = BlockOp("object") { _ in fail("ran") }
    let flows = [
      Flow().add("closure", .limited(by: limiter)) { _ in fail("ran") },
      Flow().add("asynchronous", .limited(by: limiter)) { _ async in fail("ran") },
      Flow().add(operation: operation, .limited(by: limiter)),
      Flow().forEach(in: 0..<5, width: 5, .limited(by: limiter)) { _, _ in fail("ran") },
    ]
    for (number, flow) in flows.enumerated() {
      let run = flow.start()
      while limiter.waitingCount < (number == 3 ? 5 : 1) { await Task.yield() }
      run.cancel()
      let outcome = await run.outcome
      #expect(outcome.isCancelled && outcome.report.started == [] && RecordCheck(outcome).complaint == nil)
      #expect(limiter.waitingCount == 0 && limiter.heldCount == 1)
    }
    #expect(operation.isFinished && operation.isCancelled)
    mayEnd.fire()
    #expect(await holder.outcome.isSuccess)
    #expect(limiter.isIdle)
  }

  @Test func `a failure gives its permit back, and cancels what waits in the same flow`() async {
    let (limiter, started, isFirst) = (FlowLimiter(atMost: 2), Tally(), Locked(true))
    let outcome = await Flow().forEach(in: 0..<50, width: 50, .limited(by: limiter)) { _, _ in
      started.add()
      // Any item may be the first to get a permit.
      let fails = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if fails { throw TestError() }
      await untilCancelled()
    }.run()
    #expect(outcome.error is TestError && started.count <= 2)
    #expect(limiter.isIdle && RecordCheck(outcome).complaint == nil)
  }

  @Test(arguments: [(1, 3), (3, 1), (4, 4), (100, 2), (2, 100)])
  func `a group runs as many items as its width and its limiter allow`(width: Int, limit: Int) async {
    let (limiter, meeting) = (FlowLimiter(atMost: limit), Meeting(size: min(width, limit)))
    let count = min(width, limit) * 5
    let outcome = await Flow().forEach(in: 0..<count, width: width, .limited(by: limiter)) { _, _ in
      await meeting.attend()
    }.run()
    #expect(outcome.isSuccess && meeting.peak == min(width, limit) && limiter.isIdle)
  }

  @Test func `a step that contains limited ones keeps no permit from them`() async {
    let limiter = FlowLimiter(atMost: 1)
    let inner = Flow("inner").add("a", .limited(by: limiter)) { _ in }
      .cases(on: "key") { $0.otherwise { $0.add("b", .limited(by: limiter)) { _ async in } } }
    let outcome = await Flow().addParallel("both", ["x": Flow().add(flow: inner), "y": Flow().add(flow: inner)]).run()
    #expect(outcome.isSuccess && limiter.isIdle)
  }

  @Test func `an operation that depends on one that needs the same permit waits for it first`() async {
    let limiter = FlowLimiter(atMost: 1)
    let (first, second) = (BlockOp("first"), BlockOp("second"))
    first.addDependency(second)
    let waits = Flow().add(operation: first, .limited(by: limiter)).start()
    while waits.waitingFor.first?.reason != .dependencies { await Task.yield() }
    while limiter.heldCount > 0 { await Task.yield() }
    let outcome = await Flow().add(operation: second, .limited(by: limiter)).run()
    #expect(outcome.isSuccess)
    #expect(await waits.outcome.isSuccess)
    #expect(limiter.isIdle)
  }

  @Test func `an operation whose dependencies have finished takes its turn, and can be cancelled meanwhile`() async {
    for isCancelled in [false, true] {
      let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
      let (operation, other) = (BlockOp("waits"), BlockOp("other"))
      operation.addDependency(other)
      let run = Flow().add(operation: operation, .limited(by: limiter)).start()
      while run.waitingFor.first?.reason != .dependencies { await Task.yield() }
      while limiter.heldCount > 0 { await Task.yield() }
      let holder = await hold(limiter, until: mayEnd)
      other.start()
      while run.waitingFor.first?.reason != .limit { await Task.yield() }
      #expect(run.waitingFor.first?.source.name == "waits" && !operation.isExecuting)
      if isCancelled { run.cancel() } else { mayEnd.fire() }
      #expect(await run.outcome.isCancelled == isCancelled)
      #expect(operation.isFinished)
      mayEnd.fire()
      #expect(await holder.outcome.isSuccess)
      #expect(limiter.isIdle)
    }
  }

  @Test func `each attempt takes a permit of its own`() async {
    let (limiter, mayEnd, isAgain) = (FlowLimiter(atMost: 1), Signal(), Signal())
    var step = Blueprint.Step(
      name: "again",
      kind: .closure(
        .async { context in
          if context.attempt == 1 { throw TestError() }
          await isAgain.fire(thenAwait: mayEnd)
        }))
    step.changeOptions { options in
      StepTrait<FlowStep.Repeatable>.retry(.attempts(2)).change(&options)
      options.limit(by: [limiter])
    }
    let run = Flow().add(step.name, step.kind, step.options).start()
    await isAgain.wait()
    #expect(limiter.heldCount == 1)
    mayEnd.fire()
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.report.started.count == 2 && limiter.isIdle)
  }

  @Test func `a rate holds for the steps of all flows together`() async {
    let clock = StepClock()
    let limiter = FlowLimiter(atMost: 4, starts: 2, per: .seconds(1), clock: clock)
    let (starts, count) = (Journal<Duration>(), Tally())
    let runs = (0..<2).map { _ in
      Flow().forEach(in: 0..<3, width: 3, .limited(by: limiter)) { _, _ in
        starts.append(clock.now.offset)
        count.add()
      }.start()
    }
    for round in 1...3 {
      await count.reach(round * 2)
      while limiter.waitingCount < 6 - round * 2 { await Task.yield() }
      guard round < 3 else { break }
      await clock.waiting(1)
      clock.advance(by: .seconds(1))
    }
    for run in runs { #expect(await run.outcome.isSuccess) }
    #expect(starts.entries == [0, 0, 1, 1, 2, 2].map { .seconds($0) })
    while clock.sleeperCount > 0 { await Task.yield() }
    #expect(limiter.isIdle && clock.mostSleepers == 1)
  }

  @Test func `tens of thousands that wait have no thread`() async {
    let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
    let holder = await hold(limiter, until: mayEnd)
    let count = max(20_000, min(100_000, TestSettings.amount(30_000)))
    let run = Flow().recording(.none).forEach(in: 0..<count, width: .max, .limited(by: limiter)) { _, _ in }.start()
    while limiter.waitingCount < count { await Task.yield() }
    run.cancel()
    #expect(await run.outcome.isCancelled)
    #expect(limiter.waitingCount == 0)
    mayEnd.fire()
    _ = await holder.outcome
  }
}
