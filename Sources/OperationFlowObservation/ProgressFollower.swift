import Foundation
import OperationFlow

extension FlowRun {
  /// The run's progress: it counts steps by their weight, a group by its items, and the fractions that operations
  /// report.
  ///
  /// Its fraction is 1 when the run has succeeded, whichever branches were chosen. After a failure, it remains as it
  /// was, and it is 0 if it is created only then. While a group with an unknown number of items is running, the
  /// progress is indeterminate, and counts the items that have ended. Cancelling, pausing or resuming the progress does
  /// the same to the run. Its observers are called on the run's threads. It is created on first access, and is the same
  /// object from then on.
  public var progress: Progress {
    let source = runProgress
    let follower = source.follower ?? source.follower(orNew: ProgressFollower(self))
    // There is no other kind of follower.
    return (follower as? ProgressFollower)?.progress ?? Progress(parent: nil)
  }
}

/// Updates a `Foundation.Progress` from a run.
private final class ProgressFollower: RunProgress.Follower {
  private struct State: ~Copyable, Sendable {
    var target = RunProgress.Count.millionths(0)
    var applied = RunProgress.Count.millionths(0)
    var isApplying = false
    /// The closures that wait until the newest count is applied.
    var waiters: [@Sendable () -> Void] = []

    /// Returns the next change, for one thread at a time; `nil` if there is none, or another thread applies it.
    mutating func next(isMine: Bool) -> (old: RunProgress.Count, new: RunProgress.Count)? {
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

  // Not a child of the current progress, which may belong to another task.
  let progress = Progress(parent: nil)
  private let state = Locked(State())

  init(_ run: FlowRun) {
    progress.totalUnitCount = RunProgress.whole
    progress.isCancellable = true
    progress.isPausable = true
    progress.cancellationHandler = { [weak run] in run?.cancel(by: .progress) }
    progress.pausingHandler = { [weak run] in run?.pause() }
    progress.resumingHandler = { [weak run] in run?.resume() }
  }

  func moved(to count: RunProgress.Count) { state.withLock { $0.target = count } }

  /// Applies the newest count to the `Progress`, which calls its observers, so no lock may be held.
  func apply() {
    var isMine = false
    while let (old, new) = state.withLock({ $0.next(isMine: isMine) }) {
      isMine = true
      ProgressLock.change { set(new, after: old) }
      state.withLock { $0.applied = new }
    }
    guard isMine else { return }
    for waiter in state.withLock({ $0.takeWaiters() }) { waiter() }
  }

  /// Calls `body` once the newest count is applied, which is immediately unless a change is waiting.
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

  private func set(_ new: RunProgress.Count, after old: RunProgress.Count) {
    // Between the two assignments, no count may look like an end, which would be counted as one, nor like a beginning.
    // While the total is unknown, it looks like neither.
    switch (old, new) {
    case (.millionths, .items(let count)): (progress.totalUnitCount, progress.completedUnitCount) = (-1, Int64(count))
    case (_, .items(let count)): progress.completedUnitCount = Int64(count)
    case (.millionths, .millionths(let done)): progress.completedUnitCount = done
    case (.items, .millionths(let done)):
      (progress.completedUnitCount, progress.totalUnitCount) = (done, RunProgress.whole)
    }
  }
}
