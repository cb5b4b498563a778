import Foundation

/// The state of a run, which the lock of its engine guards.
struct RunState: ~Copyable, Sendable {
  var machine: RunStateMachine
  var outcome: RunOutcome
  var claims = Claims()
  var groups = GroupRuns()
  /// True if the run has begun, if only to end.
  var hasBegun = false
  /// The identifier of a run without a store, made when it is first needed.
  lazy var id = UUID().uuidString
  /// True if the run is being restored: nothing is performed.
  var isReplaying = false
  /// The number of lanes that are on the queue and have not claimed yet.
  var pendingLaneCount = 0
  /// The engine itself, while the run is paused, because perhaps nothing else retains it.
  var paused: RunEngine?
  /// The handle, which is notified of the end; run and handle retain each other until then.
  var handle: FlowRun?
  var progress: RunProgress?
  var itemFailures: [FlowItemFailure] = []
  var beganAt: Duration?
  var facts: RunFacts
  /// The claims that have settled, and whose work may still run.
  private(set) var settledClaims = [WorkTicket: Claim]()
  /// The cause of a cancellation that arrived while the run was restored.
  var cancelledBefore: FlowReport.Cancellation?
  /// The objects that the starters of operations with dependencies need until they have started them.
  var heldForStarters: [any AnyObject & Sendable] = []
  /// The declared outputs that successful steps did not write, by name.
  var missingOutputs = [String: MissingOutput]()
  /// The values for work that follows: from a failed attempt for its recovery, from a success for its undo.
  var remains = [RunWork: WorkRemains]()
  /// The uses of keys by closures for which the run has a warning.
  var keyUses: Set<String> = []
  /// The timers, made when the state machine first asks for one.
  var timers: (any RunTimers)?
  /// The task that warns if nothing happens; `nil` if there is no such warning.
  var quietWatch: Task<Void, Never>?

  /// Returns how many lanes to add, and counts them as added, so that all useful lanes are on the queue.
  ///
  /// There is a useful lane for each piece of work that can be claimed, but not for a million at once: each lane that
  /// claims adds those that are useful then, so the number of lanes doubles while work is left.
  mutating func lanesToAdd() -> Int {
    if isReplaying { return 0 }
    // Parked work needs no lane.
    let running = machine.runningCount - machine.parking.count
    let count = max(0, min(machine.claimableCount, max(4, min(running, 64))) - pendingLaneCount)
    pendingLaneCount += count
    return count
  }

  /// True if claimed work is all that the run waits for: nothing else is pending, not even a time limit.
  var mayOnlyWait: Bool {
    machine.runningCount > 0 && machine.claimableCount == 0 && machine.timers.count == 0
      && (machine.isClosing || !machine.isStopping && !machine.isPaused) && machine.abandoned.isEmpty
  }

  /// True if all claimed work waits for operations, and nothing else of the run continues or begins by itself.
  var mayBeStuck: Bool { machine.parking.waitingCount > 0 && waitsOnlyForOperations }

  private var waitsOnlyForOperations: Bool {
    machine.runningCount == machine.parking.waitingCount && machine.tree.offersNothing
      && machine.claims.all.allSatisfy { claims[$0.id]?.reason == .dependencies }
      && machine.tree.delayedAttempts.isEmpty
  }

  /// Returns the claim of work that runs, although the claim may have settled.
  func anyClaim(_ ticket: WorkTicket) -> Claim? { claims[ticket] ?? settledClaims[ticket] }

  /// Ends a claim, and releases its permits unless abandoned work retains them; returns the limiters to be served.
  mutating func end(_ claim: Claim, abandonedAs keeper: String?) -> [FlowLimiter] {
    if let keeper, claim.permits?.retain(for: keeper) == true {
      settledClaims[claim.ticket] = claim
      return []
    }
    if claim.work.isFollowUp { settledClaims[claim.ticket] = claim }
    return claim.permits?.release() ?? []
  }

  /// Ends work whose claim settled before; returns the limiters that have to be served.
  mutating func endAbandoned(_ ticket: WorkTicket) -> [FlowLimiter] {
    if settledClaims.isEmpty { return [] }
    guard let claim = settledClaims[ticket] else { return [] }
    if !claim.work.isFollowUp { settledClaims[ticket] = nil }
    return claim.permits?.endKept() ?? []
  }

  /// Stores what the undo of a step or an item needs, if its success or its uncertain effect is undone.
  private mutating func storeForUndo(
    _ work: RunWork, _ output: (any Sendable)?, _ source: FlowEvent.Source, isSuccess: Bool
  ) {
    guard machine.blueprint.has(.undo), let step = work.step, let undo = work.undoing,
      let plan = machine.blueprint.steps[step].options?.undo, isSuccess || plan.isForUncertain
    else { return }
    let item = work.item.flatMap { groups[step]?.item(at: $0) }
    remains[undo] = WorkRemains(name: source.name, item: item, output: output)
  }

  /// Stores what an undo needs, and the output or failure of a group's item; `end` gets the values to be freed.
  mutating func store(
    _ work: RunWork, _ output: (any Sendable)?, _ source: FlowEvent.Source, _ end: inout WorkEnd, _ paths: PathTable
  ) {
    let isSuccess = end.result.settlement.isSuccess
    storeForUndo(work, isSuccess ? output : nil, source, isSuccess: isSuccess)
    guard let index = work.item, let step = work.step, let group = groups[step] else { return }
    let settlement = end.result.settlement
    defer { if let pulled = group.takePulled(index) { end.freed.append(pulled) } }
    if settlement.isSuccess {
      return group.store(index, output: output)
    }
    // Work that was cancelled because the run ends has not failed.
    if settlement.isCancelled, end.wasStopped { return group.endCancelled(index) }
    guard let error = settlement.failure, let input = group.item(at: index) else { return }
    let failure = FlowItemFailure(
      name: source.description, index: index, input: input, error: error, path: paths.path(of: step),
      attempt: source.attempt, inputName: group.allItems?.name, isInputSensitive: group.hidesInputs,
      texts: itemFailures.count < FlowItemFailure.describedCount ? .init(error: end.errorText, input: input) : nil)
    itemFailures.append(failure)
    group.end(index, failure: failure)
  }
}

/// The values of a piece of work for the work that follows it.
struct WorkRemains: Sendable {
  /// The name that its events had, which may be the operation's own.
  let name: String
  /// The text of a user's error.
  var errorText: String?
  var item: (any Sendable)?
  var output: (any Sendable)?
}

extension RunState {
  /// Creates the claim of work that a lane begins with, and opens a step that begins with this work.
  mutating func begin(_ offer: RunOffer, attempt: Int, hasTimes: Bool, at moment: RunMoment) -> Claim {
    let claim = Claim(offer.ticket, offer.work, attempt: attempt, at: moment.time)
    claims.insert(claim)
    if offer.work.kind == .item, let step = offer.work.step, let group = groups[step] {
      claim.group = group
      if offer.attempt > 1 { group.countRetry(offer.attempt) }
    }
    guard offer.work.beginsStep, let step = offer.work.step else { return claim }
    if offer.work.kind != .step || hasTimes || offer.attempt > 1 {
      facts.open(step, attempt: offer.attempt, at: moment.seconds)
    }
    return claim
  }

  mutating func closeStep(of work: RunWork, _ end: inout WorkEnd) {
    guard let step = work.step else { return }
    let moment = end.moment
    switch (work.kind, end.result) {
    case (.item, _), (.deliver, _), (.undo, _): return
    case (.recover, _), (.expire, _): if work.item != nil { return }
    // The step begins only now, or continues.
    case (.check, .settled(.succeeded)), (.pull, .pulled): return
    case (.check, .skipped):
      facts.steps[step].state = .skipped
      return
    // The step ends in the way that stopped the pull.
    case (.pull, _) where end.wasStopped: return
    case (.choose, .chosen(nil)): break
    case (.choose, _), (.enter, _), (.plan, _):
      if end.result.end != nil { break }
      // The step continues, unless it is cut off before anything within it has begun.
      guard end.wasStopped else { return }
      return facts.close(step, .cancelled, began: end.began, at: moment.seconds)
    default: break
    }
    let state = end.result.end.map { FlowRecord.State($0) } ?? .succeeded
    facts.close(step, state, began: end.began, at: moment.seconds)
  }

  /// Marks work as ended, and sets its error if it timed out; returns false if its end doesn't count any more.
  mutating func endTiming(of claim: Claim, _ timeout: inout (any Error)?) -> Bool {
    guard machine.work(of: claim.ticket) != nil else { return false }
    let error = machine.endTiming(of: claim.ticket)
    // A recovery isn't timed, though the attempt before it may have been.
    if claim.work.isAttempt || claim.work.kind == .undo { timeout = error }
    return true
  }

  /// Adds the next item of a group; `nil` if there are no more.
  mutating func addItem(_ item: (any Sendable)?, of work: RunWork, _ end: inout WorkEnd) {
    guard let step = work.step else { return }
    if let item {
      groups[step]?.append(item)
    } else if !end.wasStopped {
      // A sequence also ends when the task that waits for its next element is cancelled, which isn't its own end.
      groups[step]?.isReadToEnd = true
    }
  }

  /// Stores what another attempt or a recovery needs of an attempt that has failed.
  mutating func recordFailedAttempt(
    at work: RunWork, _ source: FlowEvent.Source, _ errorText: String?, recovers: Bool, began: Double
  ) {
    if let index = work.item, let step = work.step { groups[step]?.recordFailedAttempt(index) }
    storeForUndo(work, nil, source, isSuccess: false)
    let plan = work.step.flatMap { machine.blueprint.steps[$0].options?.attempts }
    if recovers || plan?.totalTimeout != nil {
      remains[work.attemptedWork] = WorkRemains(name: source.name, errorText: errorText)
    }
    if work.kind == .step, let step = work.step { facts.open(step, attempt: source.attempt, at: began) }
  }

  /// Records what the end of some work has decided: the end of the run or of an `always` step, unless it is a success.
  mutating func recordDecision(
    by work: RunWork, _ end: inout WorkEnd
  ) {
    let step = work.step
    let closingFailure = machine.closing.failure.take()
    guard let ending = machine.ending, !ending.isSuccess, closingFailure != nil || !facts.isDecided else { return }
    let isLate = work.kind == .pull && end.result.pulledItem != nil
    let source = end.source ?? step.map { FlowEvent.Source(machine.blueprint.steps[$0].name, step: $0) }
    let path = step.flatMap { facts.table?.paths.path(of: $0) }
    if let closingFailure, let source {
      facts.add(
        ReportedWork(
          .alwaysFailure, source.description, path, item: work.item, closingFailure.error ?? FlowError.cancellation,
          text: end.errorText, step: step))
    }
    if facts.isDecided { return }
    // The end of a sequence shows that too many of its items failed: the last of these failures decides the end.
    if isLate, case .failed(let error) = ending, let path,
      let item = itemFailures.last(where: { $0.path == path })
    {
      let failed = ReportedWork(
        .failure, item.name, path, item: item.index, attempt: item.attempt, error, text: item.texts?.error, step: step)
      return facts.decide(.failed(failed))
    }
    switch ending {
    case .succeeded: break
    case .cancelled: facts.decide(.cancelled(.step(name: source?.description ?? "", path: path, item: work.item)))
    case .failed(let error):
      let seconds = isReplaying ? 0 : max(0, end.moment.seconds - end.began)
      let failed = ReportedWork(
        .failure, source?.description ?? "", path, item: work.item, attempt: source?.attempt ?? 1,
        after: .seconds(seconds), error, text: end.errorText, step: step)
      facts.decide(.failed(failed))
    }
  }

  /// Removes and returns a group that is at its end, and stores the counts of its items.
  mutating func endGroup(_ step: Blueprint.StepID) -> GroupRun? {
    let group = groups.end(step)
    if let group { facts.store(ItemFacts(group.itemCounts(), group.retries), of: step) }
    return group
  }

  /// The facts of the run so far, including the running groups.
  var currentFacts: RunFacts {
    var facts = facts
    for (step, group) in groups.all {
      let counts = group.itemCounts(isStopping: machine.isStopping)
      facts.store(ItemFacts(counts, group.retries, group.outputs, named: group.step.output?.name), of: step)
    }
    return facts
  }
}
