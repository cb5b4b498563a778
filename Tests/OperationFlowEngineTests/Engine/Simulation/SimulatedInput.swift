/// An input of a simulation.
///
/// Claims and timers have numbers, counted from 0. An input that does not fit the state of the run does nothing, so
/// that inputs can be removed from a failing case.
enum SimulatedInput: Sendable, Hashable {
  case begin, claim, cancel, pause, resume, refuse
  /// Settles a claim, which may have settled before.
  case settle(Int)
  /// Grants a permit to a claim that waits for one, and starts its work.
  case permit(Int)
  /// Parks a claim; resumes a claim; resumes and claims in one call.
  case park(Int), unpark(Int), unparkHere(Int)
  /// Settles a claim and claims the next work in one call.
  case claimNext(Int)
  /// Settles a claim with a result that does not fit its work.
  case unexpectedResult(Int)
  /// Advances the time until the next timer is due.
  case advance
  /// Fires a timer that is due, or that has fired or was stopped.
  case fire(Int)
}
