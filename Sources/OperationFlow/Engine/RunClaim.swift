/// A piece of work that a lane has claimed.
struct RunClaim: Sendable {
  let ticket: WorkTicket
  let work: RunWork
  let attempt: Int
  /// Whether it has been recorded as started; else that is still to come, and to be asked for.
  var hasStarted = false
  /// Whether another lane was at the run's state when this one came to it.
  var wasContended = false

  /// What its events are about.
  func source(_ name: String, of step: Blueprint.StepID) -> FlowEvent.Source {
    FlowEvent.Source(name, step: step, item: work.item, attempt: attempt)
  }
}

/// What becomes of a lane when its work settles.
enum LaneUse: Sendable {
  /// It claims what is next.
  case goesOn
  /// It comes back a little later, if another is at work meanwhile.
  case rests
  /// It is gone already.
  case none
}
