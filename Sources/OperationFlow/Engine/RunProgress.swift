import Foundation

/// Keeps a `Foundation.Progress` in step with a run.
///
/// It is made when somebody first asks for it, so that a run nobody watches pays nothing.
final class RunProgress: Sendable {
  /// The units of the whole run.
  static let unitCount: Int64 = 1_000_000

  private struct State: Sendable {
    /// What running work says of itself.
    var reported: [WorkTicket: Double] = [:]
    var fraction = 0.0
    var target: Int64 = 0
    var isApplying = false
  }

  let progress: Progress
  private let state = Locked(State())

  init(
    cancel: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
    resume: @escaping @Sendable () -> Void
  ) {
    // Not a child of whatever progress is current where it is asked for.
    progress = Progress(parent: nil)
    progress.totalUnitCount = Self.unitCount
    progress.isCancellable = true
    progress.isPausable = true
    progress.cancellationHandler = cancel
    progress.pausingHandler = pause
    progress.resumingHandler = resume
  }

  /// The state machine stands elsewhere, because a piece of work has settled, or for the first look at it.
  func moved(after ticket: WorkTicket?, _ machine: RunStateMachine) -> RunProgress {
    state.withLock { state in
      if let ticket, !state.reported.isEmpty { state.reported[ticket] = nil }
      Self.move(&state, machine)
    }
    return self
  }

  /// An operation says how far it has come.
  func report(_ fraction: Double, _ ticket: WorkTicket, _ machine: RunStateMachine) -> RunProgress {
    state.withLock { state in
      state.reported[ticket] = min(1, max(0, fraction.isNaN ? 0 : fraction))
      Self.move(&state, machine)
    }
    return self
  }

  private static func move(_ state: inout State, _ machine: RunStateMachine) {
    let fraction = machine.fraction(reported: state.reported)
    // A fraction that goes back, as a stream's does when items come in, would make a progress bar jump.
    state.target = max(state.target, Int64(fraction * Double(unitCount)))
  }

  /// Hands the newest count to the `Progress`, which calls its observers, so that no lock may be held.
  func apply() {
    var last: Int64?
    while let target = state.withLock({ state -> Int64? in
      guard last != nil || !state.isApplying else { return nil }
      if state.target == last {
        state.isApplying = false
        return nil
      }
      state.isApplying = true
      return state.target
    }) {
      progress.completedUnitCount = target
      last = target
    }
  }
}
