package struct RunClaim: Sendable {
  package let ticket: WorkTicket
  package let work: RunWork
  package let attempt: Int
  /// Whether it was parked while it was performed: its operation is to be started.
  var isUnderWay = false
  /// Whether a test has already been asked what happens to it.
  var wasIntercepted = false
  /// Whether it has waited until all entries before it were synchronized.
  var isSynchronized = false

  func source(_ name: String, of step: Blueprint.StepID) -> FlowEvent.Source {
    FlowEvent.Source(name, step: step, item: work.item, attempt: attempt)
  }
}

/// What a lane does when its work settles.
package enum LaneUse: Sendable {
  /// It claims the next work.
  case goesOn
  /// It has already ended.
  case none
  /// It is still at work, or its work is, although that is not waited for any longer.
  case abandoned
}
