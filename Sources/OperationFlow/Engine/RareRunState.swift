/// What few runs keep under the lock of their state, in one object that the others don't have.
final class RareRunState: @unchecked Sendable {
  // Invariant: it is reached through the state of one run only, which that run's lock guards.
  /// The permits of limited work.
  var permits = ClaimPermits()
  /// Claimed work that waits for something.
  var parked: [WorkTicket: ParkedClaim] = [:]
  /// What has cancelled the run while it was restored.
  var cancelledBefore: FlowReport.Cancellation?
  /// What the starters of operations that have dependencies need until they have started them.
  var heldForStarters: [any AnyObject & Sendable] = []
  /// The outputs that steps have declared but did not write, although they succeeded.
  var missingOutputs = MissingOutputs()
  /// The undos and recoveries that have begun: their code may go on after they have settled.
  var begunFollowUps: [WorkTicket: RunWork] = [:]
  /// The attempts that have failed, for what may follow the last one.
  var failedAttempts: [RunWork: FailedAttempt] = [:]
  /// What undos need of what has succeeded.
  var undoLedger = UndoLedger()
  /// What closures have done with keys that the run was warned of.
  var keyUses: Set<String> = []
  /// What warns if nothing happens; `nil` if nothing is to warn.
  var quietWatch: Task<Void, Never>?
}
