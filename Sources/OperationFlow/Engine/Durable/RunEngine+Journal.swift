import Foundation

/// What a piece of work leaves, as it is written into the journal: made before the run's lock is taken.
///
/// It is a class so that a run without a journal passes no more than a reference, which is `nil`.
final class JournalNote: Sendable {
  let name: String?
  let output: StoredOutput?
  let writes: [StoredWrite]
  /// The writes as they were noted, to be put back if the settlement does not count.
  let noted: [PendingWrites.Write]

  init(
    name: String? = nil, output: StoredOutput? = nil, _ writes: (stored: [StoredWrite], noted: [PendingWrites.Write])
  ) {
    (self.name, self.output, self.writes, self.noted) = (name, output, writes.stored, writes.noted)
  }
}

/// An entry that is being made: the state machine's decision is missing.
final class PendingSettlement {
  var settlement: JournalSettlement
  let wasStopping: Bool

  init(_ settlement: JournalSettlement, wasStopping: Bool) {
    (self.settlement, self.wasStopping) = (settlement, wasStopping)
  }
}

// What a durable run adds to the settling of its work. A run without a journal asks whether it has one, and nothing else.
extension RunEngine {
  /// What all attempts of some work have in common, also after the run was resumed.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket) -> String {
    let (work, isHanding) = state.withLock { state in
      (state.machine.work(of: ticket) ?? state.begunAftermath[ticket], state.machine.isHanding(ticket))
    }
    let path = paths.path(of: Int(source.step)).map(\.description) ?? source.name
    var key = "\((journal?.id ?? state.withLock { $0.id }).escapedForKey)/\(path.escapedForKey)"
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

  /// The same while the run is restored: what is settled comes from the journal.
  func durable(
    _ source: FlowEvent.Source, _ settlement: Settlement, _ output: (any Sendable)?, _ ticket: WorkTicket,
    _ journal: RunJournal
  ) -> (Settlement, JournalNote?) {
    guard state.withLock({ $0.notedWork(of: ticket) }) != nil else { return (settlement, nil) }
    let (settlement, note) = noted(source, settlement, output, journal)
    return (settlement, note)
  }

  /// What is kept of work that leaves no more than what it wrote; `nil` if the run is being restored.
  func durableNote(_ ticket: WorkTicket) -> JournalNote? {
    guard let journal, let work = state.withLock({ $0.notedWork(of: ticket) }) else {
      return nil
    }
    guard let step = work.step, !state.withLock({ $0.machine.isHanding(ticket) }) else { return JournalNote(([], [])) }
    return JournalNote(take(of: PendingWrites.Writer(step: step, item: work.item), journal) { _ in })
  }

  /// Writes the entry of work that has settled; if that did not count, what it wrote waits for the next one.
  func settled(_ note: JournalNote, _ counts: Bool) {
    guard counts else { return bucket.putBack(note.noted) }
    journal?.flush()
  }

  /// Makes what the journal keeps of work that settles, and how it counts: a value that can't be stored is a failure.
  func noted(
    _ source: FlowEvent.Source, _ settlement: Settlement, _ output: (any Sendable)?, _ journal: RunJournal
  ) -> (Settlement, JournalNote) {
    let writer = PendingWrites.Writer(source)
    var settlement = settlement
    var problem: FlowError?
    let writes = take(of: writer, journal) { if problem == nil { problem = $0 } }
    let step = Int(source.step)
    let name = step >= 0 && source.name == blueprint.steps[step].itemOrStepName ? nil : source.name
    var kept: StoredOutput?
    if settlement.isSuccess, source.item != nil, let output, keepsOutput(of: step) {
      do {
        kept = try stored(output, of: step, journal)
      } catch let error as FlowError {
        problem = problem ?? error
      } catch {
        problem = problem ?? .valueNotEncodable("the output", type(of: output), error)
      }
    }
    if settlement.isSuccess, let problem {
      settlement = .failed(problem)
      kept = nil
    }
    return (settlement, JournalNote(name: name, output: kept, writes))
  }

  /// Takes what some work has written to the bucket.
  func take(
    of writer: PendingWrites.Writer, _ journal: RunJournal, _ problem: (FlowError) -> Void
  ) -> (stored: [StoredWrite], noted: [PendingWrites.Write]) {
    let (own, loose, refusal) = bucket.takeWrites(of: writer)
    if let refusal { problem(refusal) }
    if own.isEmpty, loose.isEmpty { return ([], []) }
    return (own.map { stored($0, journal, problem) } + loose.map { stored($0, journal) { _ in } }, own + loose)
  }

  /// A write as a journal stores it.
  func stored(_ write: PendingWrites.Write, _ journal: RunJournal, _ problem: (FlowError) -> Void) -> StoredWrite {
    StoredWrite(
      name: write.name, number: write.number,
      value: bucket.stored(write.value, named: write.name, journal, problem))
  }

  /// Whether anything needs the outputs of a group's items later.
  private func keepsOutput(of step: Blueprint.StepID) -> Bool {
    guard case .group(let group) = blueprint.steps[step].kind else { return false }
    let special = blueprint.steps[step].options.special
    return group.keepsOutputs || special?.undo != nil || special?.results != nil
  }

  private func stored(
    _ output: any Sendable, of step: Blueprint.StepID, _ journal: RunJournal
  ) throws -> StoredOutput {
    guard let bytes = try StoredBytes(output) else {
      throw FlowError.valueNotStorable("the output of an item", type(of: output))
    }
    let hides = { [bucket] (name: String) in bucket.storing(name).isSensitive }
    var isSensitive = withGroups { $0.update(step) { $0.hidesOutputs } } ?? false
    if case .group(let group) = blueprint.steps[step].kind {
      isSensitive = isSensitive || group.hidesOutputs || group.ports.output.map { hides($0.name) } ?? false
      if let kept = blueprint.steps[step].options.special?.results?.kept {
        isSensitive = isSensitive || kept.port.isSensitive || hides(kept.port.name)
      }
    }
    guard isSensitive else { return StoredOutput(bytes) }
    journal.secrets.withLock { $0.insert(value: output) }
    guard let sealing = journal.sealing else { throw FlowError.sensitiveOutput(blueprint.steps[step].name) }
    return StoredOutput(StoredBytes(kind: 0, json: try sealing.sealed(bytes)), isSealed: true)
  }

  /// Whether claimed work may begin now; otherwise it goes on later.
  func mayBegin(_ claim: RunClaim, _ journal: RunJournal) -> Bool {
    let turn = journal.turn(of: claim)
    if turn == .waits { return false }
    if turn == .beginsUnlessStopping, isStopping(claim.ticket), let step = claim.work.step {
      // It was claimed before the run's end was decided.
      let expected = claim.source(blueprint.name(of: claim.work), of: step)
      let failed = state.withLock { $0.failedAttempts[claim.work.attemptedWork] }
      let source = failed.map { expected.named($0.name) } ?? expected
      switch claim.work {
      // An undo is left to the resume.
      case .check, .plan, .undo: settle(claim.ticket, .settled(.cancelled), source, lane: .none)
      default: complete(claim.ticket, source, .cancelled, lane: .none)
      }
      return false
    }
    if let step = claim.work.step { bucket.beginWriting(PendingWrites.Writer(step: step, item: claim.work.item)) }
    if blueprint.hasTimedAttempts, journal.durability.way == .everySettlement { beginTimers(of: claim) }
    return true
  }

  /// Starts the time of work that may have waited for the journal; what is limited may have to wait for permits still.
  private func beginTimers(of claim: RunClaim) {
    if claim.work.isAttempt, let step = claim.work.step, blueprint.isLimited(step) { return }
    var effects = PendingEffects()
    effects.timers.append(state.withLock { $0.machine.attemptBegins(claim.ticket) })
    perform(effects)
  }

  /// Goes on with what has waited for the journal.
  func goOn(with parked: RunJournal.Parked) {
    switch parked {
    case .claim(let claim): continueLane(with: claim)
    case .result(let held, let step): addLane { self.handOnSynchronized(held, of: step) }
    }
  }

  // MARK: Under the lock: the state is passed as `inout`, because the compiler copies the whole of it otherwise

  /// Makes the entry of a piece of work that settles; called before the state machine is told.
  @inline(never)
  func pendingSettlement(
    of work: RunWork, _ result: RunResult, _ errorText: String?, _ ticket: WorkTicket, _ note: JournalNote,
    _ state: inout RunState, at date: Date
  ) -> PendingSettlement? {
    let described = { (error: any Error) in FlowStoredError.describing(error, as: errorText) }
    let stored: JournalSettlement.Result
    switch result {
    case .settled(.succeeded): stored = .succeeded
    case .settled(.failed(let error)):
      stored = .failed(described(error), retriedAfter: retryDelay(ticket, error, .byPlan, &state))
    case .settled(.cancelled): stored = .cancelled
    case .failed(let error, let advice):
      stored = .failed(described(error), retriedAfter: retryDelay(ticket, error, advice, &state))
    case .skipped: stored = .skipped
    case .chosen(let block): stored = .chosen(block.flatMap { blueprint.branch(of: work.step, $0) })
    case .entered: stored = .entered
    case .planned(let count, let width, _): stored = .planned(count, width: width)
    case .pulled(isItem: true):
      // The next item's own entry says that it has come.
      return nil
    case .pulled(isItem: false):
      var count = 0
      if let step = work.step { count = state.groups.pulledCount(of: step) ?? 0 }
      stored = .pulledAll(count)
    }
    var settlement = JournalSettlement(
      date: date, work: JournalWork(work, isHanding: state.machine.isHanding(ticket)),
      attempt: state.claims[ticket].attempt, result: stored)
    (settlement.name, settlement.output, settlement.writes) = (note.name, note.output, note.writes)
    return PendingSettlement(settlement, wasStopping: state.machine.isStopping)
  }

  /// Takes the entry, once the state machine has decided what it leads to.
  @inline(never)
  func take(_ entry: PendingSettlement, _ decided: [RunEffect], _ state: inout RunState) {
    // What always runs is cut off in the same way, after the run's end was decided.
    let isCutOff = decided.contains { if case .cancel = $0 { true } else { false } }
    var decidesFailure = false
    if !entry.wasStopping, state.machine.ending?.isSuccess == false { decidesFailure = true }
    if isCutOff || decidesFailure {
      entry.settlement.claimed = state.machine.claimedForJournal
    }
    journal?.take(.settled(entry.settlement))
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
    guard let journal, !state.isReplaying else { return }
    journal.take(
      .decided(
        JournalDecision(date: dates.now, error: error, cause: cause.cause, claimed: state.machine.claimedForJournal)))
  }

  /// The last entry.
  func durableEnding(_ outcome: FlowOutcome, _ journal: RunJournal) -> JournalEnding {
    let data = outcome.report.data.sorted { $0.key < $1.key }.map { name, value in
      StoredWrite(name: name, number: 0, value: bucket.stored(value, named: name, journal) { _ in })
    }
    return JournalEnding(outcome, data: data, date: dates.now)
  }

  // MARK: The journal's failure

  /// The journal can't be written: the run fails, or goes on without it.
  func journalDidFail(_ error: any Error) {
    guard let journal else { return }
    if journal.durability.continuesWithoutJournal {
      let text = "goes on without its journal, which can't be written: \(ValueText.describe(error: error))"
      return recorder.record(.warned(text), source: source)
    }
    let failure = (error as? FlowError) ?? FlowError.storeFailure(error)
    var effects = PendingEffects()
    state.withLock { state in
      // The run can be resumed, so nothing is undone, and nothing more always runs: the journal couldn't say so.
      var decided = state.machine.leaveToResume()
      if !state.machine.isStopping {
        let located = failure.located(flow: flowName, step: nil)
        decided = state.machine.end(.failed(located))
        state.facts.journalFailed(located, flowName: flowName)
      }
      recorder.write { record in
        state.note(decided, in: &effects, &record, blueprint, at: dates.now)
        effects.isWatched = record.isWatched
      }
      effects.laneCount = state.lanesToAdd()
    }
    // Users' calls may not return, and the thread has work of the run to go on with.
    let cancelled = effects.cancelled
    effects.cancelled = []
    perform(effects)
    if !cancelled.isEmpty {
      addLane { for operation in cancelled.compactMap({ $0.stop(self.bucket) }) { operation.callCancel() } }
    }
  }
}

extension RunStateMachine {
  /// What is at work, as an entry lists it.
  var claimedForJournal: [JournalWork] {
    claims.all.filter { $0.value.isCancelled && $0.value.work != .finish }
      .map { JournalWork($0.value.work, isHanding: $0.value.isHanding) }
  }
}

extension DataBucket {
  /// What is wrong with a value that a group writes at its end.
  func problem(storing collected: GroupStep.Collected, _ journal: RunJournal) -> FlowError? {
    var problem: FlowError?
    _ = stored(collected.value, named: collected.name, journal) { problem = $0 }
    return problem
  }

  /// A value as a journal stores it; `problem` is called if that isn't possible.
  func stored(
    _ value: (any Sendable)?, named name: String, _ journal: RunJournal, _ problem: (FlowError) -> Void
  ) -> StoredWrite.Value {
    guard let value else { return .removed }
    let (isSensitive, isStored) = storing(name)
    if isSensitive { journal.secrets.withLock { $0.insert(value: value) } }
    if !isStored { return .isNotStored }
    if isSensitive, journal.sealing == nil { return .isSensitive }
    do {
      guard let bytes = try StoredBytes(value) else {
        problem(.valueNotStorable("<\(ValueText.name(name))>", type(of: value), key: name))
        return .isNotStored
      }
      return isSensitive ? try journal.sealing.map { .sealed(try $0.sealed(bytes)) } ?? .isSensitive : .stored(bytes)
    } catch {
      problem(.valueNotEncodable("<\(ValueText.name(name))>", type(of: value), error, key: name))
      return .isNotStored
    }
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
}

extension FlowError {
  static func valueNotStorable(_ what: String, _ type: Any.Type, key: String? = nil) -> FlowError {
    let isKey = key != nil
    return FlowError(
      .valueNotStorable, "\(what) is a \(TypeName.of(type)), which isn't Codable, so the run's journal can't store it",
      remedy: "Make \(TypeName.of(type)) Codable"
        + (isKey ? ", or declare the key as FlowKey(\"\(ValueText.name(key ?? ""))\", isStored: false)." : "."),
      key: key)
  }

  static func valueNotEncodable(_ what: String, _ type: Any.Type, _ error: any Error, key: String? = nil) -> FlowError {
    FlowError(
      .valueNotStorable, "\(what) of type \(TypeName.of(type)) can't be encoded for the run's journal, nor sealed",
      remedy:
        "See to it that encode(to:), and the closure of FlowSealing, don't throw: \(TypeName.of(Swift.type(of: error))).",
      key: key)
  }

  static func sensitiveOutput(_ step: String) -> FlowError {
    FlowError(
      .valueNotStorable, "the outputs of the items of \(step) are sensitive, so the run's journal can't store them",
      remedy: "Give run(id:in:sealing:) a FlowSealing, or let the items write nothing that is sensitive.", step: step)
  }

  static func storeFailure(_ error: any Error) -> FlowError {
    FlowError(
      .storeFailed, "the run's journal can't be written: \(ValueText.describe(error: error))",
      remedy: "See to it that the store works, and run the flow again under the same id: it resumes there.")
  }
}
