import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowTesting

/// A clock that reports soon why time doesn't pass, for tests that wait for the report before they continue.
final class ReportingClock: Sendable {
  let clock: ManualClock
  let reports = Journal<String>()
  private let hasReported: Signal

  init() {
    let (reports, hasReported) = (reports, Signal())
    self.hasReported = hasReported
    // The patience is long enough for time to pass meanwhile, if real time had an effect.
    clock = ManualClock(work: ClockWork(patience: .milliseconds(100))) { report in
      reports.append(report)
      hasReported.fire()
    }
  }

  /// The first report.
  ///
  /// No time passes before it.
  var report: String {
    get async {
      await hasReported.wait()
      return reports.entries.first ?? ""
    }
  }
}

/// Checks that automatic time stands still while a step waits for something that the clock can't see.
@Suite(.watched) struct HeldTimeTests {
  @Test func `no time passes while a step waits for something else, however long, and the step is named`() async {
    let (held, mayEnd) = (ReportingClock(), Signal())
    let flow = Flow("Server").add("asks", .timeout(.seconds(20))) { _ async in await mayEnd.wait() }
    async let outcome = flow.run(on: held.clock)
    #expect(await held.report.contains("can't see: [asks] of Server. "))
    #expect(held.clock.now.offset == .zero)
    mayEnd.fire()
    #expect(await outcome.isSuccess && held.clock.now.offset == .zero)
  }

  @Test func `no time passes for a run that begins while the clock looks whether all is done`() async throws {
    let (clock, run) = (ManualClock(), Journal<FlowRun>())
    let flow = Flow().deadline(.seconds(3600)).clock(clock).add("any") { _ in }
    // The clock calls this when all work is done.
    let number = clock.beginPassing {
      if run.entries.isEmpty { run.append(flow.start()) }
      return false
    }
    await clock.work.untilIdle()
    while run.entries.isEmpty { await Task.yield() }
    try await run.entries[0].outcome.expectSuccess()
    clock.endPassing(number)
    #expect(clock.now.offset == .zero)
  }

  @Test func `no time passes between the first timers of a run and its first work`() async throws {
    let clock = LookingClock()
    let number = clock.base.beginPassing { false }
    try await Flow().deadline(.seconds(3600)).clock(clock).add("any") { _ in }.run().expectSuccess()
    clock.base.endPassing(number)
    #expect(clock.base.now.offset == .zero)
  }

  @Test func `a step that sleeps on the clock lets no time pass for another that waits for something else`() async {
    let (held, mayEnd) = (ReportingClock(), Signal())
    let clock = held.clock
    let flow = Flow("Both").forEach(in: 0..<3, width: 3) { (item: Int, _) async throws in
      guard item != 1 else { return await mayEnd.wait() }
      async let first: Void = clock.sleep(for: .seconds(5))
      async let second: Void = clock.sleep(for: .seconds(10))
      _ = try await (first, second)
    }
    async let outcome = flow.run(on: clock)
    let report = await held.report
    #expect(report.contains("#2] of Both. ") && !report.contains("#1]") && !report.contains("#3]"), "\(report)")
    #expect(clock.now.offset == .zero)
    mayEnd.fire()
    #expect(await outcome.isSuccess && clock.now.offset == .seconds(10))
  }

  @Test func `work beside a sleep holds time in holdingTime, and that is said`() async {
    let (held, mayEnd) = (ReportingClock(), Signal())
    let clock = held.clock
    let flow = Flow().add("both") { _ async throws in
      async let page: Void = clock.holdingTime { await mayEnd.wait() }
      try await clock.sleep(for: .seconds(10))
      await page
    }
    async let outcome = flow.run(on: clock)
    #expect(await held.report.contains("holdingTime"))
    #expect(clock.now.offset == .zero)
    mayEnd.fire()
    #expect(await outcome.isSuccess && clock.now.offset == .seconds(10))
  }

  @Test func `a step that waits for a run of its own on the clock holds no time for itself`() async {
    let clock = ManualClock()
    let inner = Flow("inner").clock(clock).add("flaky", .retry(.attempts(3, delay: .seconds(60)))) { context in
      if context.attempt < 3 { throw TestError() }
      try await clock.sleep(for: .seconds(60))
    }
    let flow = Flow("outer").add("runs another") { _ in _ = try await inner.run().get() }
    #expect(await flow.run(on: clock).isSuccess && clock.now.offset == .seconds(180))
  }

  @Test func `what waits for others of a run holds no time for itself`() async {
    let clock = ManualClock()
    let (one, two) = (FlowLimiter(atMost: 1), FlowLimiter(atMost: 1))
    let rate = FlowLimiter(starts: 1, per: .seconds(10), clock: clock)
    let flow = Flow()
      .forEach(in: 0..<3, width: 3, .limited(by: one)) { (_: Int, _) async throws in
        try await clock.sleep(for: .seconds(10))
      }
      .forEach(in: 0..<3, width: 3) { (_: Int, _) async throws in
        try await two.withPermit { try await clock.sleep(for: .seconds(10)) }
      }
      .forEach(in: 0..<3, width: 3, .limited(by: rate)) { (_: Int, _) in }
      .forEach(in: 0..<3, width: 3, .onEachResult { _, _, _ in try await clock.sleep(for: .seconds(10)) }) {
        (_: Int, _) in
      }
    #expect(await flow.run(on: clock).isSuccess && clock.now.offset == .seconds(110))
  }

  @Test func `an operation that depends on one that sleeps holds no time`() async {
    let clock = ManualClock()
    let (first, second) = (SleepOp(clock), SleepOp(clock))
    second.addDependency(first)
    let flow = Flow().parallel {
      $0.branch("a") { $0.add(operation: second) }
      $0.branch("b") { $0.add(operation: first) }
    }
    #expect(await flow.run(on: clock).isSuccess && clock.now.offset == .seconds(20))
  }
}

private final class SleepOp: FlowOperation, @unchecked Sendable {
  // Invariant: it never changes.
  private let clock: ManualClock

  init(_ clock: ManualClock) { self.clock = clock }

  override func run() async throws { try await clock.sleep(for: .seconds(10)) }
}

/// A manual clock that checks whether time may pass at the worst moment: when a run just started its timers.
private final class LookingClock: DrivenClock, TimerClock {
  let base = ManualClock()
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { .zero }
  var startDate: Date { base.startDate }
  var elapsed: Duration { base.elapsed }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline)
  }

  func perform(_ work: @escaping @Sendable () -> Void) { base.perform(work) }
  func startTask(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> { base.startTask(work) }
  func join(_ run: DrivenRun, _ openWork: @escaping @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?) {
    base.join(run, openWork)
  }
  func setWaiting(of work: DrivenWork, _ isWaiting: Bool) { base.setWaiting(of: work, isWaiting) }
  func hold(_ isHeld: Bool) { base.hold(isHeld) }
  func makeRunTimers(fire: @escaping @Sendable ([TimerID]) -> Void) -> any RunTimers {
    Timers(base: base.makeRunTimers(fire: fire), clock: base)
  }

  private struct Timers: RunTimers {
    let base: any RunTimers
    let clock: ManualClock

    func apply(_ changes: [RunEffect]) {
      base.apply(changes)
      // The clock's own work stops timers, and would wait for itself below.
      guard changes.contains(where: { if case .start = $0 { true } else { false } }) else { return }
      // Here the clock lets no time pass before it has seen the new timers.
      while !clock.work.isIdle { sched_yield() }
      clock.passTime()
    }

    func stopAll() { base.stopAll() }
  }
}
