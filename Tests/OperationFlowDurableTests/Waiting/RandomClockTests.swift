import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random flows of waits, delays and time limits, while someone sets the clock at random moments.
@Suite(.long) struct RandomClockTests {
  @Test func `times are right, dates are waited for, and nothing hangs, whatever the clock is set to`() async {
    await forEachSeed(count: 150, workers: 4) { await TimedFlow(seed: $0).complaint() }
  }
}

/// A clock whose date is set at random, a limited number of times, and is right afterwards.
private final class UnsteadyClock: DatedClock, Sendable {
  private struct State {
    var random: SeededGenerator
    var remainingSets: Int
    /// The sum of all sets.
    var shift = Duration.zero
    /// The date at the beginning of each sleep.
    var sleeps: [Date] = []
  }

  private let clock = SetClock(jumps: true)
  private let state: Locked<State>

  init(seed: UInt64, sets: Int) {
    state = Locked(State(random: SeededGenerator(seed: seed), remainingSets: sets))
  }

  var now: StepClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }
  var date: Date { clock.date }
  var sleeps: [Date] { state.withLock { $0.sleeps } }

  func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws {
    mayBeSet()
    state.withLock { [date] in $0.sleeps.append(date) }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }

  /// Sets the date by minutes, days or millennia, forward or back, or doesn't.
  func mayBeSet() {
    let change = state.withLock { state -> Duration in
      if state.remainingSets == 0 { return .zero }
      state.remainingSets -= 1
      var change = Duration.zero - state.shift
      if state.remainingSets > 0 {
        let size = [0, 60, 3_600, 86_400, 300_000_000_000][state.random.below(5)]
        change = .seconds(state.random.below(size + 1) * (state.random.oneIn(2) ? 1 : -1))
      }
      state.shift += change
      return change
    }
    clock.set(by: change)
  }
}

private struct TimedFlow: Sendable {
  enum Step: Sendable {
    case wait(seconds: Int)
    /// The seconds are counted from the clock's first date.
    case waitForDate(seconds: Int)
    case retried(attempts: Int, delay: Int)
    case limited(seconds: Int)
    case set
  }

  /// The time and the date of the clock after a step, and the number of its sleeps so far.
  private struct Mark: Sendable {
    let time: Duration
    let date: Date
    let sleepCount: Int

    init(_ clock: UnsteadyClock) { (time, date, sleepCount) = (clock.now.offset, clock.date, clock.sleeps.count) }
  }

  private let seed: UInt64
  private let steps: [Step]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    steps = (0...random.below(6)).map { _ in
      switch random.below(6) {
      case 0: .wait(seconds: 1 + random.below(600))
      case 1, 2: .waitForDate(seconds: random.below(7_200))
      case 3: .retried(attempts: 2 + random.below(2), delay: 1 + random.below(300))
      case 4: .limited(seconds: 1 + random.below(300))
      default: .set
      }
    }
  }

  private static func date(_ seconds: Int) -> Date { SetClock.start.addingTimeInterval(TimeInterval(seconds)) }

  private func build(_ clock: UnsteadyClock, _ marks: Journal<Mark>) -> Flow {
    let flow = Flow("Timed").clock(clock).add("begin") { _ in marks.append(Mark(clock)) }
    for step in steps {
      switch step {
      case .wait(let seconds): flow.wait(.seconds(seconds))
      case .waitForDate(let seconds): flow.wait(until: Self.date(seconds))
      case .retried(let attempts, let delay):
        flow.add("retried", .retry(.attempts(attempts, delay: .seconds(delay)))) { context in
          if context.attempt < attempts { throw TestError(name: "again") }
        }
      case .limited(let seconds):
        flow.add("limited", .timeout(.seconds(seconds)), .recover { _, _ in }) { _ async throws in
          // Nothing but the time limit ends this sleep.
          let still = StepClock()
          try await still.sleep(until: still.now.advanced(by: .seconds(1)), tolerance: nil)
        }
      case .set: flow.add("set") { _ in clock.mayBeSet() }
      }
      flow.add("mark") { _ in marks.append(Mark(clock)) }
    }
    return flow
  }

  /// Returns a description of a fault; `nil` if there is none.
  func complaint() async -> String? {
    var random = SeededGenerator(seed: seed &+ 1)
    let (clock, marks) = (UnsteadyClock(seed: seed, sets: random.below(16)), Journal<Mark>())
    let store = MemoryFlowStore()
    let isDurable = random.oneIn(2)
    let outcome =
      isDurable
      ? await build(clock, marks).run(id: "r", in: store, durability: .operatingSystem)
      : await build(clock, marks).run()
    if let complaint = Self.check(outcome) ?? check(marks.entries, clock.sleeps) { return "\(complaint), \(steps)" }
    if outcome.report.duration != clock.now.offset { return "\(outcome.report.duration), and not \(clock.now.offset)" }
    guard isDurable, let entries = store.journals["r"]?.withoutBegins else { return nil }
    // The clock of the next process has another date.
    let later = UnsteadyClock(seed: seed &+ 2, sets: 1 + random.below(16))
    later.mayBeSet()
    let cut = MemoryFlowStore(["r": Array(entries.prefix(1 + random.below(entries.count)))])
    let resumed = await build(later, Journal()).run(id: "r", in: cut, durability: .operatingSystem)
    return Self.check(resumed).map { "resumed: \($0), \(steps)" }
  }

  private static func check(_ outcome: FlowOutcome) -> String? {
    if !outcome.isSuccess { return "\(outcome)" }
    let report = outcome.report
    if report.duration < .zero { return "it lasted \(report.duration)" }
    if let step = report.steps.first(where: { $0.duration.map { $0 < .zero } ?? false }) { return "\(step)" }
    // A date far away is no trouble for a text.
    return report.summary.contains("Timed") ? nil : report.summary
  }

  /// Checks the times between the marks.
  private func check(_ marks: [Mark], _ sleeps: [Date]) -> String? {
    if marks.count != steps.count + 1 { return "\(marks.count) marks" }
    for (step, (before, after)) in zip(steps, zip(marks, marks.dropFirst())) {
      let time = after.time - before.time
      switch step {
      case .wait(let seconds), .limited(let seconds):
        if time != .seconds(seconds) { return "\(step) lasted \(time)" }
      case .retried(let attempts, let delay):
        if time != .seconds((attempts - 1) * delay) { return "\(step) lasted \(time)" }
      case .waitForDate(let seconds):
        let due = Self.date(seconds)
        if after.date.timeIntervalSince(due) < -0.01 { return "\(step) ended at \(after.date), before \(due)" }
        // A date that was reached when a sleep began is noticed when the sleep ends.
        let own = sleeps[before.sleepCount..<after.sleepCount]
        if own.dropLast().contains(where: { $0 >= due }) { return "\(step) slept again after \(due): \(own)" }
      case .set:
        if time != .zero { return "\(step) lasted \(time)" }
      }
    }
    return nil
  }
}
