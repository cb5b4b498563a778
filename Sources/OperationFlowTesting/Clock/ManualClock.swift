import Foundation
import OperationFlow

/// A clock whose time passes only when a test lets it pass, so that no test waits for minutes, or for a second.
///
/// ```swift
/// let outcome = await flow.run(on: ManualClock())
/// ```
/// A run on this clock performs its work one piece at a time, tasks included, and its events have the clock's dates. So
/// two runs of the same flow have equal records, if nothing in the flow depends on chance or on anything outside. Steps
/// must not block their thread until another step or item does something. You can call every member from any thread.
///
/// Before macOS 15, iOS 18, tvOS 18, watchOS 11 and visionOS 2, asynchronous steps still run at the same time.
public final class ManualClock: Clock {
  /// A moment on the clock.
  public struct Instant: InstantProtocol {
    /// The limits of offsets, so that no sum of two offsets leaves the range of the type.
    private static let limits = Duration.seconds(Int64.min) ... .seconds(Int64.max)

    /// The time that has passed since the clock was made.
    public var offset: Duration { didSet { offset = offset.clamped(to: Self.limits) } }

    /// Creates a moment.
    ///
    /// - Parameter offset: The time that has passed since the clock was made.
    public init(offset: Duration = .zero) { self.offset = offset.clamped(to: Self.limits) }

    /// Returns a later moment.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration.clamped(to: Self.limits))
    }

    /// Returns the time from this moment to another one.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Compares moments.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// The date at which a clock starts by default: January 1, 2001, 00:00 UTC.
  public static let standardStart = Date(timeIntervalSinceReferenceDate: 0)

  /// The date at which the clock started.
  public let startDate: Date
  let work: ClockWork
  let state = Locked(State())
  let report: @Sendable (String) -> Void

  /// The state that the lock guards.
  struct State: Sendable {
    var schedule = ClockSchedule()
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    /// The tasks that wait until enough sleeps are waiting.
    var watchers: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
    /// The number of calls and stores that stop time at present.
    var holdCount = 0
    /// The reasons for which time passes by itself, by number; each returns true when it is over.
    var passing: [Int: @Sendable () -> Bool] = [:]
    /// The runs that have begun, and may have ended.
    var runs: [JoinedRun] = []
    var lastNumber = 0

    mutating func makeNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    /// Removes and returns the watchers for which enough sleeps are waiting.
    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      let count = schedule.count
      defer { watchers.removeAll { $0.count <= count } }
      return watchers.filter { $0.count <= count }.map(\.waiter)
    }
  }

  /// A run, and a function that returns the run's open work; `nil` after the run's end.
  struct JoinedRun: Sendable {
    let run: DrivenRun
    let openWork: @Sendable (_ isWaiting: (DrivenWork) -> Bool) -> OpenWork?
  }

  /// Creates a clock.
  ///
  /// - Parameter date: The date that the clock shows at first.
  public convenience init(startingAt date: Date = ManualClock.standardStart) {
    self.init(startingAt: date, work: ClockWork()) { line in
      try? FileHandle.standardError.write(contentsOf: Data("OperationFlowTesting: \(line)\n".utf8))
    }
  }

  /// Creates a clock with a function that reports what the clock waits for.
  init(startingAt date: Date = ManualClock.standardStart, work: ClockWork, report: @escaping @Sendable (String) -> Void)
  {
    (startDate, self.work, self.report) = (date, work, report)
    work.whenIdle { [weak self] in self?.passTime() }
  }

  /// The current moment.
  public var now: Instant { state.withLock { $0.schedule.now } }

  /// The current date: the one at which the clock started, plus the time that has passed.
  public var date: Date { startDate.addingTimeInterval(now.offset / .seconds(1)) }

  /// Zero: the clock shows each moment exactly.
  public var minimumResolution: Duration { .zero }

  /// The number of sleeps, and of delays and time limits of runs, that wait for their time.
  public var sleeperCount: Int { state.withLock { $0.schedule.count } }

  /// Waits until the clock shows a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment.
  ///   - tolerance: Not used.
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { $0.makeNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let wake = ClockSchedule.Wake.sleep(continuation, .current)
        let (isCancelled, watchers) = state.withLock { state in
          if state.cancelled.remove(number) != nil { return (true, [CheckedContinuation<Void, Never>]()) }
          state.schedule.add(number, at: deadline, wake)
          return (false, state.takeWatchers())
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        handleNewWait(watchers, isDue: deadline <= now)
      }
    } onCancel: {
      let wake = state.withLock { state in
        let wake = state.schedule.remove(number)
        if wake == nil { state.cancelled.insert(number) }
        return wake
      }
      if case .sleep(let continuation, _) = wake { continuation.resume(throwing: CancellationError()) }
    }
  }

  /// Handles a new wait, whose moment may be now, or may be the next one.
  func handleNewWait(_ watchers: [CheckedContinuation<Void, Never>], isDue: Bool) {
    for watcher in watchers { watcher.resume() }
    work.add { if isDue { self.moveToNext(notAfter: self.now) } }
  }
}
