/// The progress of a run.
///
/// It is made when someone first asks for it, so that other runs have no cost.
package final class RunProgress: Sendable {
  /// A run's progress as it is shown.
  package enum Count: Sendable, Equatable {
    case millionths(Int64)
    /// The number of items that have ended, while a group runs whose number of items is unknown.
    case items(Int)
  }

  /// An object that shows the progress elsewhere, such as in Foundation's `Progress`.
  package protocol Follower: AnyObject, Sendable {
    /// Accepts a new count; called under a lock, so that counts arrive in order.
    func moved(to count: Count)
    /// Shows the newest count; called outside all locks.
    func apply()
    /// Calls `body` once the newest count is shown.
    func whenApplied(_ body: @escaping @Sendable () -> Void)
  }

  package static let whole: Int64 = 1_000_000

  private struct State: ~Copyable, Sendable {
    /// The progress that running work reports.
    var reported = [WorkTicket: Double]()
    /// The largest progress of the run so far, in millionths.
    var most: Int64 = 0
    var count = Count.millionths(0)
    var follower: (any Follower)?
  }

  private let state = Locked(State())

  /// Creates the progress of a run that has just begun, or of one that has ended without a progress.
  init(endedAs outcome: FlowOutcome? = nil) {
    if outcome?.isSuccess == true { state.withLock { $0.count = .millionths(Self.whole) } }
  }

  /// The run's progress, from 0 to 1; `nil` while it is unknown.
  package var fraction: Double? {
    if case .millionths(let done) = state.withLock({ $0.count }) { Double(done) / Double(Self.whole) } else { nil }
  }

  package var follower: (any Follower)? { state.withLock { $0.follower } }

  /// Returns the progress's follower; if there is none, `new` is its follower from now on.
  package func follower(orNew new: any Follower) -> any Follower {
    let follower = state.withLock { state in
      let follower = state.follower.orNew(new)
      follower.moved(to: state.count)
      return follower
    }
    follower.apply()
    return follower
  }

  /// Updates the progress, under the run's lock, after a change of the state machine or a report of running work.
  ///
  /// A fraction of `nil` means that the work has settled. It returns the follower, which has to show the change outside
  /// the lock.
  func moved(
    _ machine: borrowing RunStateMachine, by work: (ticket: WorkTicket, fraction: Double?)? = nil
  ) -> (any Follower)? {
    state.withLock { state in
      if let work, work.fraction != nil || !state.reported.isEmpty {
        state.reported[work.ticket] = work.fraction
      }
      // After a failure, the progress remains as it was.
      if let ending = machine.ending, !ending.isSuccess { return state.follower }
      // A fraction that decreases, as a stream's does when items arrive, would make a progress bar jump.
      state.most = max(state.most, Int64(machine.fraction(reported: state.reported) * Double(Self.whole)))
      state.count = machine.tree.uncountedItems.map { .items($0) } ?? .millionths(state.most)
      state.follower?.moved(to: state.count)
      return state.follower
    }
  }
}
