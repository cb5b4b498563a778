/// How far a run has come.
///
/// It is made when someone first asks for it, so that a run of which no one asks pays nothing.
package final class RunProgress: Sendable {
  /// How far a run has come, as it is shown.
  package enum Count: Sendable, Equatable {
    case millionths(Int64)
    /// How many items have ended, while a group runs whose number of items is not known.
    case items(Int)
  }

  /// What shows it elsewhere, as Foundation's `Progress` does.
  package protocol Follower: AnyObject, Sendable {
    /// Takes in a new count; called under a lock, so that counts come in order.
    func moved(to count: Count)
    /// Shows the newest count; called outside all locks.
    func apply()
    /// Calls `body` once the newest count is shown.
    func whenApplied(_ body: @escaping @Sendable () -> Void)
    /// The calling task or thread has called the library.
    func noteReturn()
  }

  package static let whole: Int64 = 1_000_000

  private struct State: ~Copyable, Sendable {
    /// What running work reports about itself.
    var reported = [WorkTicket: Double]()
    /// The furthest that the run has come, in millionths.
    var most: Int64 = 0
    var count = Count.millionths(0)
    var follower: (any Follower)?
  }

  private let state = Locked(State())

  /// How far a run has come that has just begun, or had come that has ended without one.
  init(endedAs outcome: FlowOutcome? = nil) {
    if outcome?.isSuccess == true { state.withLock { $0.count = .millionths(Self.whole) } }
  }

  /// How far the run has come, from 0 to 1; `nil` while that isn't known.
  package var fraction: Double? {
    if case .millionths(let done) = state.withLock({ $0.count }) { Double(done) / Double(Self.whole) } else { nil }
  }

  package var follower: (any Follower)? { state.withLock { $0.follower } }

  /// What follows it from now on: what follows it already, or else a new follower.
  package func follower(orNew new: any Follower) -> any Follower {
    let follower = state.withLock { state in
      let follower = state.follower.orNew(new)
      follower.moved(to: state.count)
      return follower
    }
    follower.apply()
    return follower
  }

  /// Takes in under the run's lock that the state machine has moved, with how far a piece of work has come, `nil` once
  /// that has settled; returns what has to show it outside the lock.
  func moved(
    _ machine: borrowing RunStateMachine, by work: (ticket: WorkTicket, fraction: Double?)? = nil
  ) -> (any Follower)? {
    state.withLock { state in
      if let work, work.fraction != nil || !state.reported.isEmpty {
        state.reported[work.ticket] = work.fraction
      }
      // After a failure it stays as it was.
      if let ending = machine.ending, !ending.isSuccess { return state.follower }
      // A fraction that goes back, as a stream's does when items come in, would make a progress bar jump.
      state.most = max(state.most, Int64(machine.fraction(reported: state.reported) * Double(Self.whole)))
      state.count = machine.tree.uncountedItems.map { .items($0) } ?? .millionths(state.most)
      state.follower?.moved(to: state.count)
      return state.follower
    }
  }
}
