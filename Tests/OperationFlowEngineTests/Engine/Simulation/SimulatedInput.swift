/// What is done to a state machine.
///
/// Claims and timers stand under their numbers, counted from 0. What does not fit the place where the run stands does
/// nothing, so that inputs can be left out of a failing case.
enum SimulatedInput: Sendable, Hashable {
  case begin, claim, cancel, pause, resume, refuse
  /// Settles a claim; one that has settled, once more.
  case settle(Int)
  /// A claim that waits for a permit gets it, and begins.
  case permit(Int)
  /// Parks a claim; resumes it; resumes and claims it in one go.
  case park(Int), unpark(Int), unparkHere(Int)
  /// Settles a claim and claims what is next in one go.
  case goOn(Int)
  /// Settles a claim with a result that does not fit its work.
  case unexpectedResult(Int)
  /// Time passes until the next timer is due.
  case advance
  /// Fires a timer whose time has come; one that was fired or stopped, once more.
  case fire(Int)
}
