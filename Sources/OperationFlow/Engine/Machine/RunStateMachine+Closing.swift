// What follows the decision of the run's end, once everything that was claimed before has settled.
extension RunStateMachine {
  /// Whether a pause holds up the users' work: it doesn't once the end is decided.
  var holdsUserWork: Bool { isPaused && closing.part == nil }

  /// Whether a claim undoes something.
  func isUndo(_ ticket: WorkTicket) -> Bool { if case .undo? = claims[ticket]?.work { true } else { false } }

  /// Begins the next undo, or the next steps that always run; false if nothing is left to do.
  mutating func beginNextPart() -> Bool {
    // A success that becomes a failure at the end is too late to be undone.
    let isUndoing = if case .always = closing.part { false } else { true }
    guard let part = closing.next(after: isUndoing ? ending : .succeeded) else { return false }
    if tree.scopes.count > 0 { tree = RunTree(shared) }
    switch part {
    case .undo(let work):
      let plan = work.step.flatMap { blueprint.steps[$0].options.special?.undo?.attempts } ?? AttemptPlan()
      _ = tree.addAttempts(AttemptScope(work, plan), in: nil, isOffered: true)
    case .always(let block): _ = tree.begin(block)
    }
    return true
  }

  /// How the steps that always run have ended, if not successfully; `nil` if that was asked before.
  mutating func takeClosingFailure() -> Settlement? { closing.takeFailure() }

  /// Undoes nothing, and cuts off what is being undone or runs at the end: the run will be resumed.
  mutating func leaveToResume() -> [RunEffect] {
    closing.leaveToResume()
    return isStopping ? end(.succeeded) : []
  }

  /// Ends what runs at the end: the run keeps its own end, unless that was a success.
  mutating func endCleanupPart(_ partEnding: Settlement) -> [RunEffect] {
    closing.note(begun: tree.begun, in: blueprint)
    guard !partEnding.isSuccess else { return cutOff() }
    closing.note(partEnding)
    replaceEnding(partEnding)
    return cutOff()
  }
}
