import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

@Suite(.watched) @MainActor struct ObservedRunTests {
  nonisolated static let interval = Duration.milliseconds(20)
  /// The number of items.
  ///
  /// It is below 100,000 only under a sanitizer.
  nonisolated private static let itemCount = min(100_000, TestSettings.longCount)

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  private func observe(_ flow: Flow, on clock: StepClock, lines: Int = 100) -> ObservedRun {
    ObservedRun(flow.start(), every: Self.interval, on: clock, lines: lines)
  }

  /// Returns a group of many items between two steps, the first of which waits for `mayBegin`.
  private func count(after mayBegin: Signal, _ item: @escaping @Sendable (Int) async -> Void) -> Flow {
    Flow("Count").set(.numbers, to: Array(0..<Self.itemCount))
      .add("begin", .writesNothing) { _ in await mayBegin.wait() }
      .forEach(.numbers, width: 4) { number, context in
        context.log("\(number)")
        await item(number)
      }
      .add("end", .writesNothing) { context in context.log("the end") }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `while no time passes, many items change nothing, and the end is complete`() async {
    let (clock, mayBegin) = (StepClock(), Signal())
    let run = observe(count(after: mayBegin) { _ in }, on: clock, lines: 10)
    let changes = [
      ChangeCount { _ = run.fractionCompleted }, ChangeCount { _ = run.lines }, ChangeCount { _ = run.outcome },
      ChangeCount { _ = run.atWork }, ChangeCount { _ = run.isPaused },
    ]
    #expect(run.fractionCompleted == 0 && run.outcome == nil)
    mayBegin.fire()
    await run.untilEnd()
    #expect(changes.map(\.count) == [1, 1, 1, 0, 0])
    #expect(run.fractionCompleted == 1 && run.outcome?.isSuccess == true && run.atWork == [])
    #expect(run.lines.count == 10 && run.lines.last?.description == "[end] the end")
    #expect(run.lines.map(\.id) == run.lines.map(\.id).sorted())
    #expect(clock.sleeperCount == 0)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `as time passes, many items change it once in an interval`() async {
    let (clock, mayBegin, isHalfway, mayGoOn) = (StepClock(), Signal(), Signal(), Signal())
    let run = observe(
      count(after: mayBegin) { number in
        if number % 1_000 == 0 { clock.advance(by: Self.interval) }
        if number == Self.itemCount / 2 { await isHalfway.fire(thenAwait: mayGoOn) }
      }, on: clock)
    let changes = ChangeCount { _ = run.fractionCompleted }
    mayBegin.fire()
    await isHalfway.wait()
    await run.letTimePass(on: clock) { run.fractionCompleted ?? 0 > 0.3 }
    #expect(run.outcome == nil)
    mayGoOn.fire()
    await run.untilEnd()
    #expect(run.fractionCompleted == 1 && run.lines.count == 100)
    let passed = Int(clock.now.offset / Self.interval)
    #expect(changes.count > 1 && changes.count <= passed + 1, "\(changes.count) changes in \(passed) intervals")
    #expect(Set(clock.delays) == [Self.interval])
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `what is at work is shown while it is`() async {
    let (clock, mayEnd) = (StepClock(), Signal())
    let run = observe(
      Flow().set(.numbers, to: [1, 2]).forEach(.numbers, width: 2, .named("load")) { _, _ in await mayEnd.wait() },
      on: clock)
    await run.letTimePass(on: clock) { run.atWork == ["[load #1]", "[load #2]"] }
    mayEnd.fire()
    await run.untilEnd()
    #expect(run.atWork == [])
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `at most 100 names are at work, the oldest first`() async {
    let (clock, mayEnd) = (StepClock(), Signal())
    let run = observe(
      Flow().set(.numbers, to: Array(0..<300)).forEach(.numbers, width: 300) { _, _ in await mayEnd.wait() }, on: clock)
    await run.letTimePass(on: clock) { run.run.waitingFor.count == 300 && run.atWork.count == 100 }
    mayEnd.fire()
    await run.untilEnd()
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `progress that a step reports is shown without an event`() async {
    let (clock, mayEnd, hasBegun) = (StepClock(), Signal(), Signal())
    let op = ReportingOp(hasBegun, mayEnd)
    let run = observe(Flow().add(operation: op), on: clock)
    await hasBegun.wait()
    await run.letTimePass(on: clock) { !run.atWork.isEmpty }
    op.reportProgress(0.5)
    await run.letTimePass(on: clock) { run.fractionCompleted == 0.5 }
    mayEnd.fire()
    await run.untilEnd()
    #expect(run.fractionCompleted == 1)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `the fraction is unknown while a group's number of items is`() async {
    let (clock, mayEnd) = (StepClock(), Signal())
    let numbers = AsyncStream<Int> { $0.yield(1) }
    let run = observe(
      Flow().forEach(in: numbers) { _, _ in await mayEnd.wait() }, on: clock)
    await run.letTimePass(on: clock) { run.fractionCompleted == nil }
    run.cancel()
    mayEnd.fire()
    await run.untilEnd()
    #expect(run.outcome?.isCancelled == true)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `the last lines are those of the log from a level on, and end with a failure`() async {
    let mayBegin = Signal()
    let flow = Flow().add("first", .writesNothing) { context in
      await mayBegin.wait()
      for number in 1...5 { context.log("line \(number)", level: number == 4 ? .debug : .info) }
    }
    .add("second", .writesNothing) { _ in throw TestError() }
    let run = observe(flow, on: StepClock(), lines: 3)
    mayBegin.fire()
    await run.untilEnd()
    #expect(
      run.lines.map(\.description) == ["[first] line 3", "[first] line 5", "[second] failed: TestError(test)"])
    #expect(run.lines.map(\.level) == [.info, .info, .error])
    #expect(run.outcome?.error is TestError && run.fractionCompleted == 0.5)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `names and lines hide what the record hides, also if that comes later`() async {
    let (clock, mayHide, mayEnd) = (StepClock(), Signal(), Signal())
    let flow = Flow().set(.city, to: "s3cret-1")
      .add("send s3cret-1") { context in
        context.log("sends s3cret-1")
        await mayHide.wait()
        context[FlowKey<String>("password")] = "s3cret-1"
        await mayEnd.wait()
      }
    let run = observe(flow, on: clock)
    await run.letTimePass(on: clock) { run.lines.map(\.message) == ["sends s3cret-1"] }
    mayHide.fire()
    await run.letTimePass(on: clock) { run.atWork == ["[send <redacted>]"] }
    #expect(run.lines.map(\.description) == ["[send <redacted>] sends <redacted>"])
    mayEnd.fire()
    await run.untilEnd()
    #expect(run.lines.map(\.message) == ["sends <redacted>"])
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `it pauses, resumes and cancels its run, and shows that at once`() async {
    let (clock, hasBegun, mayEnd) = (StepClock(), Signal(), Signal())
    let run = observe(
      Flow().add("wait") { _ in await hasBegun.fire(thenAwait: mayEnd) }.add("never") { _ in }, on: clock)
    await hasBegun.wait()
    run.pause()
    #expect(run.isPaused && run.run.isPaused)
    run.resume()
    #expect(!run.isPaused && !run.run.isPaused)
    run.cancel()
    mayEnd.fire()
    await run.untilEnd()
    #expect(run.outcome?.isCancelled == true && run.outcome?.report.steps.last?.end == .neverRan)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `a pause by others is shown`() async {
    let (clock, hasBegun, mayEnd) = (StepClock(), Signal(), Signal())
    let run = observe(Flow().add("wait") { _ in await hasBegun.fire(thenAwait: mayEnd) }, on: clock)
    await hasBegun.wait()
    run.run.pause()
    await run.letTimePass(on: clock) { run.isPaused }
    run.run.resume()
    await run.letTimePass(on: clock) { !run.isPaused }
    mayEnd.fire()
    await run.untilEnd()
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `a run that has ended is shown without time`() async {
    let started = Flow().add("log", .writesNothing) { context in context.log("a") }.start()
    _ = await started.outcome
    let run = ObservedRun(started, on: StepClock())
    await run.untilEnd()
    #expect(run.fractionCompleted == 1 && run.lines.map(\.message) == ["a"] && !run.isPaused)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `following ends when it is released, and the run goes on`() async throws {
    let (clock, mayEnd, isFreed) = (StepClock(), Signal(), Signal())
    let started = Flow().add("wait") { [token = Token(isFreed)] _ in
      token.touch()
      await mayEnd.wait()
    }.start()
    var run: ObservedRun? = ObservedRun(started, every: Self.interval, on: clock)
    await run?.letTimePass(on: clock) { run?.atWork.isEmpty == false }
    weak let observed = run
    await clock.waiting(1)
    run = nil
    try #require(observed == nil)
    // Waits until the observed run's sleep is cancelled.
    while clock.sleeperCount > 0 { await Task.yield() }
    #expect(started.currentOutcome == nil)
    mayEnd.fire()
    #expect(await started.outcome.isSuccess)
    await isFreed.wait()
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `any number of objects follow the same run`() async {
    let mayEnd = Signal()
    let started = Flow().add("wait") { context in
      await mayEnd.wait()
      context.log("a")
    }.start()
    let runs = (0..<5).map { _ in ObservedRun(started, on: StepClock()) }
    mayEnd.fire()
    for run in runs {
      await run.untilEnd()
      #expect(run.fractionCompleted == 1 && run.lines.map(\.message) == ["a"])
    }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test(arguments: [0, -1]) func `no lines are kept if none are asked for`(limit: Int) async {
    let run = observe(Flow().add("log", .writesNothing) { context in context.log("a") }, on: StepClock(), lines: limit)
    await run.untilEnd()
    #expect(run.lines == [] && run.outcome?.isSuccess == true)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test func `any number of lines may be asked for, and any interval`() async {
    for limit in [Int.max, .max / 2 + 1] {
      for interval in [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)] {
        let (clock, mayEnd) = (NotingClock(), Signal())
        let flow = Flow().add("log", .writesNothing) { context in
          for number in 0..<300 { context.log("\(number)") }
          await mayEnd.wait()
        }
        let run = ObservedRun(flow.start(), every: interval, on: clock, lines: limit)
        while clock.times.entries.isEmpty { await Task.yield() }
        mayEnd.fire()
        await run.untilEnd()
        #expect(run.lines.count == 300 && run.outcome?.isSuccess == true)
        // A clock can't calculate with longer sleeps.
        #expect(clock.times.entries.allSatisfy { $0 > .zero && $0 <= .seconds(3_155_760_000) })
      }
    }
  }
}

/// The system's clock, which records the durations of its sleeps.
private struct NotingClock: Clock {
  let times = Journal<Duration>()
  /// A fixed time, so that a busy machine doesn't change the recorded durations.
  let now = ContinuousClock.now
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    let time = now.duration(to: deadline)
    times.append(time)
    try await ContinuousClock().sleep(for: time, tolerance: tolerance)
  }
}

/// Ends after a signal.
private final class ReportingOp: FlowOperation, @unchecked Sendable {
  // Invariant: nothing changes after `init`.
  private let hasBegun: Signal
  private let mayEnd: Signal

  init(_ hasBegun: Signal, _ mayEnd: Signal) { (self.hasBegun, self.mayEnd) = (hasBegun, mayEnd) }

  override func run() async throws { await hasBegun.fire(thenAwait: mayEnd) }
}
