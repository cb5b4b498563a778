import Foundation

/// Keeps a `Foundation.Progress` in step with a run.
///
/// It is made when it is first asked for, so that a run without one pays nothing.
final class RunProgress: Sendable {
  /// The units of the whole run.
  static let unitCount: Int64 = 1_000_000

  /// What the `Progress` is to show.
  private struct Count: Sendable, Equatable {
    var total = RunProgress.unitCount
    var completed: Int64 = 0
    /// Whether the amount of work is not known.
    var isIndeterminate: Bool { total < 0 }
  }

  private struct State: ~Copyable, Sendable {
    /// What running work reports about itself.
    var reported: [WorkTicket: Double] = [:]
    /// The furthest that the run has come, in units.
    var most: Int64 = 0
    var target = Count()
    var applied = Count()
    var isApplying = false
    /// What waits until the newest count is applied.
    var waiters: [@Sendable () -> Void] = []

    /// The change to apply next, by one thread at a time; `nil` if there is none, or another thread applies it.
    mutating func next(isMine: Bool) -> (old: Count, new: Count)? {
      guard isMine || !isApplying else { return nil }
      isApplying = target != applied
      return isApplying ? (applied, target) : nil
    }

    mutating func takeWaiters() -> [@Sendable () -> Void] {
      guard !isApplying, target == applied else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  let progress: Progress
  private let state = Locked(State())

  init(
    cancel: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
    resume: @escaping @Sendable () -> Void
  ) {
    progress = ProgressTurns.makeProgress()
    progress.totalUnitCount = Self.unitCount
    progress.isCancellable = true
    progress.isPausable = true
    progress.cancellationHandler = cancel
    progress.pausingHandler = pause
    progress.resumingHandler = resume
  }

  /// The progress of a run that has ended without one.
  convenience init(endedAs outcome: FlowOutcome) {
    self.init(cancel: {}, pause: {}, resume: {})
    if outcome.isSuccess { progress.completedUnitCount = Self.unitCount }
  }

  /// Takes in that the state machine has moved, with how far a piece of work has come; `nil` once that has settled.
  func moved(_ machine: RunStateMachine, by work: (ticket: WorkTicket, fraction: Double?)? = nil) -> RunProgress {
    state.withLock { state in
      if let work, work.fraction != nil || !state.reported.isEmpty {
        state.reported[work.ticket] = work.fraction.map { min(1, max(0, $0.isNaN ? 0 : $0)) }
      }
      Self.move(&state, machine)
    }
    return self
  }

  private static func move(_ state: inout State, _ machine: RunStateMachine) {
    // After a failure it stays as it was.
    if let ending = machine.ending, !ending.isSuccess { return }
    let fraction = machine.fraction(reported: state.reported)
    // A fraction that goes back, as a stream's does when items come in, would make a progress bar jump.
    state.most = max(state.most, Int64(fraction * Double(unitCount)))
    if let count = machine.uncountedItems {
      state.target = Count(total: -1, completed: Int64(count))
    } else {
      state.target = Count(completed: state.most)
    }
  }

  /// Hands the newest count to the `Progress`, which calls its observers, so no lock may be held.
  func apply() {
    var isMine = false
    while let (old, new) = state.withLock({ $0.next(isMine: isMine) }) {
      isMine = true
      let isDone = ProgressTurns.shared.change {
        set(new, after: old)
      } otherwise: {
        self.state.withLock { $0.isApplying = false }
        self.apply()
      }
      guard isDone else { return }
      state.withLock { $0.applied = new }
    }
    guard isMine else { return }
    for waiter in state.withLock({ $0.takeWaiters() }) { waiter() }
  }

  /// Calls `body` once the newest count is applied, which is immediately unless that is held up.
  func whenApplied(_ body: @escaping @Sendable () -> Void) {
    let isApplied = state.withLock { state in
      guard !state.isApplying, state.applied == state.target else {
        state.waiters.append(body)
        return false
      }
      return true
    }
    if isApplied { body() }
  }

  private func set(_ new: Count, after old: Count) {
    // In between, no count may look like an end, which would be counted as one, nor like a beginning: while the total is
    // not known, it looks like neither.
    if new.isIndeterminate, !old.isIndeterminate { progress.totalUnitCount = new.total }
    progress.completedUnitCount = new.completed
    if old.isIndeterminate, !new.isIndeterminate { progress.totalUnitCount = new.total }
  }
}
