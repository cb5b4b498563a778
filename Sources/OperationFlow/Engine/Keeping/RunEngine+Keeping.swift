import Foundation

// What a kept run adds to the settling of its work. A run without a keeper asks whether it has one, and nothing else.
extension RunEngine {
  /// What all attempts of some work have in common, also after the run was resumed.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket) -> String {
    let (work, isHanding) = state.withLock { state in
      (state.machine.work(of: ticket) ?? state.begunFollowUps[ticket], state.machine.isHanding(ticket))
    }
    let path = paths.path(of: Int(source.step)).map(\.description) ?? source.name
    var key = "\((keeper?.id ?? state.withLock { $0.id }).escapedForKey)/\(path.escapedForKey)"
    if let item = source.item ?? task?.item { key += "#\(item)" }
    if task?.isUndo == true { return key + "/undo" }
    if isHanding { return key + "/result" }
    switch work {
    case .undo?: return key + "/undo"
    case .recover?: return key + "/recovery"
    default: return key
    }
  }

  // MARK: Before the lock

  /// Encodes what work leaves that settles; `nil` while the run is restored, for what is settled comes from the keeper.
  func kept(
    _ source: FlowEvent.Source, _ settlement: Settlement, _ output: (any Sendable)?, _ ticket: WorkTicket,
    _ keeper: any RunKeeper
  ) -> (Settlement, (any KeptParts)?) {
    guard state.withLock({ $0.notedWork(of: ticket) }) != nil else { return (settlement, nil) }
    let step = source.step >= 0 ? blueprint.steps[Int(source.step)] : nil
    let keepsOutput = settlement.isSuccess && source.item != nil && output != nil && step?.keepsItemOutputs == true
    var end = KeptEnd(
      settlement: settlement, source: source, name: source.name == step?.itemOrStepName ? nil : source.name,
      output: keepsOutput ? output : nil, hidesOutput: keepsOutput && hidesOutputs(of: Int(source.step)),
      stepName: step?.name ?? source.name)
    let parts = keeper.encode(&end)
    return (end.settlement, parts)
  }

  /// Encodes what is left of work that leaves no more than what it wrote; `nil` if the run is being restored.
  func keptWrites(_ ticket: WorkTicket) -> (any KeptParts)? {
    guard let keeper, let work = state.withLock({ $0.notedWork(of: ticket) }) else { return nil }
    let isHanding = state.withLock { $0.machine.isHanding(ticket) }
    return keeper.encodeWrites(step: isHanding ? nil : work.step, item: work.item)
  }

  /// Writes the entry of work that has settled; if that did not count, what it wrote waits for the next one.
  func settled(_ parts: any KeptParts, _ counts: Bool) {
    if counts { keeper?.flush() } else { keeper?.takeBack(parts) }
  }

  /// Whether the outputs of a group's items are sensitive.
  private func hidesOutputs(of step: Blueprint.StepID) -> Bool {
    if withGroups({ $0.update(step) { $0.hidesOutputs } }) ?? false { return true }
    guard case .group(let group) = blueprint.steps[step].kind else { return false }
    if group.hidesOutputs || group.ports.output.map({ bucket.isHidden($0.name) }) ?? false { return true }
    guard let kept = blueprint.steps[step].options.special?.results?.kept else { return false }
    return kept.port.isSensitive || bucket.isHidden(kept.port.name)
  }

  /// Whether claimed work may begin now; otherwise it is parked, or has ended.
  func mayBegin(_ claim: RunClaim, _ keeper: any RunKeeper) -> Bool {
    if !claim.work.isBookkeeping, isHeldBack(claim, keeper) { return false }
    if let step = claim.work.step { keeper.willPerform(step: step, item: claim.work.item) }
    if blueprint.hasTimedAttempts, keeper.holdsWorkBack {
      // What is limited may have to wait for permits still.
      if !claim.work.isAttempt || !blueprint.isLimited(claim.work.step ?? 0) { beginTimers(of: claim.ticket) }
    }
    return true
  }

  /// Parks work until what has settled before it is safe, or ends it, if it was cancelled since it was claimed.
  func isHeldBack(
    _ claim: RunClaim, _ keeper: any RunKeeper, by parker: ParkedClaim.Parker = .journal
  ) -> Bool {
    guard claim.isSynchronized || keeper.mayHoldBack else { return false }
    var synchronized = claim
    synchronized.isSynchronized = true
    let (isParked, isCancelled) = state.withLock { [synchronized] state in
      if state.machine.isStopping(claim.ticket) { return (false, true) }
      guard !claim.isSynchronized, keeper.holdsBack({ self.resume(claim.ticket) }) else { return (false, false) }
      return (state.park(synchronized, by: parker), false)
    }
    if isCancelled { endUnbegun(ParkedClaim(claim: claim, parker: parker)) }
    return isParked || isCancelled
  }

  /// Starts the time of work that may have had to wait, unless it has begun.
  package func beginTimers(of ticket: WorkTicket) {
    var effects = PendingEffects()
    effects.timers.append(state.withLock { $0.machine.attemptBegins(ticket) })
    perform(effects)
  }

  // MARK: Under the lock: the state is passed as `inout`, because the compiler copies the whole of it otherwise

  /// Makes the entry of a piece of work that settles, before the state machine is told; `nil` if it needs none.
  @inline(never)
  func pendingSettlement(
    of work: RunWork, _ result: RunResult, _ errorText: String?, _ ticket: WorkTicket, _ state: inout RunState,
    at date: Date
  ) -> PendingSettlement? {
    let described = { (error: any Error) in FlowStoredError.describing(error, as: errorText) }
    let kept: KeptResult
    switch result {
    case .settled(.succeeded): kept = .succeeded
    case .settled(.failed(let error)):
      kept = .failed(described(error), retriedAfter: retryDelay(ticket, error, .byPlan, &state))
    case .settled(.cancelled): kept = .cancelled
    case .failed(let error, let advice):
      kept = .failed(described(error), retriedAfter: retryDelay(ticket, error, advice, &state))
    case .skipped: kept = .skipped
    case .chosen(let block): kept = .chosen(block.flatMap { blueprint.branch(of: work.step, $0) })
    case .entered: kept = .entered
    case .planned(let count, let width, _): kept = .planned(count, width: width)
    case .pulled(isItem: true):
      // The next item's own entry says that it has come.
      return nil
    case .pulled(isItem: false):
      var count = 0
      if let step = work.step { count = state.groups.pulledCount(of: step) ?? 0 }
      kept = .pulledAll(count)
    }
    let settlement = KeptSettlement(
      date: date, work: KeptWork(work, isHanding: state.machine.isHanding(ticket)),
      attempt: state.claims[ticket].attempt, result: kept)
    return PendingSettlement(settlement, wasStopping: state.machine.isStopping)
  }

  /// Takes the entry, once the state machine has decided what it leads to.
  @inline(never)
  func take(
    _ entry: PendingSettlement, _ parts: any KeptParts, _ decided: [RunEffect], _ state: inout RunState
  ) {
    // What always runs is cut off in the same way, after the run's end was decided.
    let isCutOff = decided.contains { if case .cancel = $0 { true } else { false } }
    var decidesFailure = false
    if !entry.wasStopping, state.machine.ending?.isSuccess == false { decidesFailure = true }
    if isCutOff || decidesFailure { entry.settlement.claimed = state.machine.keptClaims }
    keeper?.take(entry.settlement, parts)
  }

  private func retryDelay(
    _ ticket: WorkTicket, _ error: any Error, _ advice: RetryAdvice, _ state: inout RunState
  ) -> Duration? {
    guard let work = state.machine.work(of: ticket), let step = work.step,
      state.machine.verdict(ticket, .failed(error), advice).failure == .retried
    else { return nil }
    let options = blueprint.steps[step].options
    let plan = if case .undo = work { options.special?.undo?.attempts } else { options.attempts }
    return plan.flatMap { advice.delay(by: $0) }
  }

  /// Takes the entry of a decision that no work has made.
  func noteDecision(_ error: (any Error)?, _ cause: FlowReport.Cancellation, _ state: inout RunState) {
    guard let keeper, !state.isReplaying else { return }
    keeper.take(KeptDecision(date: dates.now, error: error, cause: cause, claimed: state.machine.keptClaims))
  }
}

/// An entry that is being made: the state machine's decision is missing.
final class PendingSettlement {
  var settlement: KeptSettlement
  let wasStopping: Bool

  init(_ settlement: KeptSettlement, wasStopping: Bool) {
    (self.settlement, self.wasStopping) = (settlement, wasStopping)
  }
}

extension RunStateMachine {
  /// What is at work, as an entry lists it.
  fileprivate var keptClaims: [KeptWork] {
    claims.all.filter { $0.value.isCancelled && $0.value.work != .finish }
      .map { KeptWork($0.value.work, isHanding: $0.value.isHanding) }
  }
}

extension String {
  /// The same without a slash, which parts a key.
  fileprivate var escapedForKey: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return self }
    return replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
  }
}

extension Blueprint {
  /// The place of a block among those of a step.
  fileprivate func branch(of step: StepID?, _ block: BlockID) -> Int? {
    step.flatMap { steps[$0].innerBlocks.firstIndex(of: block) }
  }
}

extension Blueprint.Step {
  /// The name that events of its work have if nothing else is known.
  var itemOrStepName: String { if case .group(let group) = kind { group.itemName } else { name } }

  /// Whether anything needs the outputs of a group's items later.
  fileprivate var keepsItemOutputs: Bool {
    guard case .group(let group) = kind else { return false }
    return group.keepsOutputs || options.special?.undo != nil || options.special?.results != nil
  }
}
