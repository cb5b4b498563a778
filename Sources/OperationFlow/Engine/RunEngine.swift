import Foundation

/// Decides under one lock what a run does next, and carries out the decisions outside it.
///
/// Lanes claim work, perform it, and settle it here. Operations, observers and blocks are called outside the lock.
final class RunEngine: Sendable {
  let flowName: String
  let blueprint: Blueprint
  let table: StepTable
  let bucket: DataBucket
  let recorder: Recorder
  let tasks: TaskSpawner
  /// What closures have used without declaring it; `nil` if no step declares keys.
  private let undeclaredUses: UndeclaredUses?
  let missingOutputs = MissingOutputs()
  /// Why it runs nothing; in that case, the blueprint's operations are not its own.
  let refusal: FlowError?
  let clock: any Clock<Duration>
  let state: Locked<RunState>
  private let lanes: RunLanes

  init(
    flowName: String, blueprint: Blueprint, table: StepTable, bucket: DataBucket, recorder: Recorder,
    refusal: FlowError?, clock: any Clock<Duration>, didFinish: (@MainActor @Sendable () -> Void)?
  ) {
    self.flowName = flowName
    self.blueprint = blueprint
    self.table = table
    self.bucket = bucket
    self.recorder = recorder
    self.refusal = refusal
    self.clock = clock
    tasks = TaskSpawner(isNeeded: blueprint.mayNeedTasks)
    undeclaredUses = blueprint.declaresKeys ? UndeclaredUses() : nil
    lanes = RunLanes(name: "OperationFlow." + flowName)
    var machine = RunStateMachine(blueprint)
    var facts = RunFacts(table)
    if let refusal {
      machine.refuse(refusal)
      facts.decide(Self.decision(refusal, flowName: flowName))
    }
    state = Locked(RunState(machine: machine, outcome: RunOutcome(didFinish: didFinish), facts: facts))
  }

  var source: FlowEvent.Source { FlowEvent.Source(flowName) }
  var paths: PathTable { table.paths }

  /// Whether the run's end is decided.
  var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// How the run ended; `nil` while it has not.
  var currentOutcome: FlowOutcome? { state.withLock { $0.outcome.current } }

  /// How the run ended; waits for the end without blocking a thread.
  var outcome: FlowOutcome {
    get async {
      await withCheckedContinuation { continuation in
        if let outcome = state.withLock({ $0.outcome.wait(continuation) }) { continuation.resume(returning: outcome) }
      }
    }
  }

  // MARK: Lanes

  func addLanes(_ count: Int) {
    if count > 0 { lanes.add(count) { self.runLane() } }
  }

  func enqueue(_ operation: Operation) { lanes.enqueue(operation) }

  /// Claims and performs work until there is none, or until a piece of it ends elsewhere.
  private func runLane() {
    let now = Date()
    var effects = PendingEffects()
    var next = state.withLock { state -> RunClaim? in
      state.pendingLaneCount -= 1
      return recorder.write { record in
        guard let offer = state.machine.claim() else { return nil }
        state.noteClaim(offer, hasAttempts: blueprint.hasAttemptPlans, at: now)
        effects.laneCount = state.lanesToAdd()
        return claimed(offer, isWatched: state.progress != nil, &record, &effects, at: now)
      }
    }
    perform(effects)
    let performer = StepPerformer(engine: self)
    while let claim = next { next = performer.perform(claim) }
  }

  /// Makes the claim that a lane gets.
  ///
  /// A closure counts as started at the same moment, so that the locks are taken once. This isn't so if an observer is
  /// told first: code that observes the run or its progress may cancel it on hearing that the last step has ended, and
  /// then no other step starts.
  @inline(__always)
  private func claimed(
    _ offer: RunOffer, isWatched: Bool, _ record: inout Recorder.Record, _ effects: inout PendingEffects, at date: Date
  ) -> RunClaim {
    if let timer = offer.timer { effects.timers.append(timer) }
    var claim = RunClaim(ticket: offer.ticket, work: offer.work, attempt: offer.attempt)
    guard !record.hasListeners, !isWatched else { return claim }
    claim.hasStarted = true
    switch offer.work {
    case .step(let step), .item(let step, _):
      if let name = blueprint.closureName(step) {
        record.append(.started, source: claim.source(name, of: step), at: date)
      }
    case .choose, .enter, .leave, .plan, .pull, .collect, .finish: break
    }
    return claim
  }

  // MARK: Starting

  /// Notes that an operation or a closure is about to start; false if its end is decided, and it must not start.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ running: RunningWork.Item? = nil) -> Bool {
    let (mayStart, isWatched) = state.withLock { state in
      if let running { state.running.track(running, ticket) }
      guard !state.machine.isStopping(ticket) else { return (false, false) }
      return (true, recorder.append(.started, source: source))
    }
    if isWatched { recorder.deliver() }
    return mayStart
  }

  /// Notes what there is to cancel under a ticket, and returns whether it is to be cancelled at once.
  func track(_ running: RunningWork.Item, _ ticket: WorkTicket) -> Bool {
    state.withLock { state in
      guard state.machine.work(of: ticket) != nil else { return state.machine.isStopping }
      state.running.track(running, ticket)
      return state.machine.isStopping(ticket)
    }
  }

  /// Stops holding an operation that never said that it ends later.
  func loosen(_ ticket: WorkTicket, _ operation: FlowOperation) {
    state.withLock { $0.running.loosen(ticket, operation) }
  }

  /// The context for a step's closure.
  func context(_ source: FlowEvent.Source, _ ticket: WorkTicket, of step: Blueprint.StepID) -> FlowContext {
    FlowContext(host: self, source: source, ticket: ticket, declared: undeclaredUses.flatMap { keyCheck(of: step, $0) })
  }

  /// The check that holds a step's closure to the keys that it declares; `nil` if it declares none.
  private func keyCheck(of step: Blueprint.StepID, _ found: UndeclaredUses) -> DeclaredKeyCheck? {
    blueprint.steps[step].options.declared.map { DeclaredKeyCheck($0, step: step, found: found) }
  }

  /// Looks at the groups at work, or changes them; their outputs must not be copied.
  @inline(__always)
  func withGroups<Result>(_ body: (inout GroupRuns) -> Result) -> Result { state.withLock { body(&$0.groups) } }

  // MARK: Settling

  /// Records that an operation or a closure has ended, keeps its output, and continues.
  @discardableResult
  func complete(
    _ ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, output: (any Sendable)? = nil,
    lane: LaneUse
  ) -> RunClaim? {
    let settlement = located(settlement, source)
    if blueprint.declaresKeys, settlement.isSuccess { checkOutputs(source) }
    // An error describes itself with code of its own, which must not run under the lock.
    let finish = settlement.recorded(FlowEvent.Kind.finished)
    // A value that is freed may use the run, so it isn't freed under the lock.
    var freed: (any Sendable)?
    defer { withExtendedLifetime(freed) {} }
    return settle(ticket, .settled(settlement), source, lane: lane) { state, work, record, now in
      // Recorded at the same moment at which it counts, so that the record agrees with the outcome.
      guard blueprint.hasAttemptPlans else {
        record.append(finish, source: source, at: now)
        freed = state.keepItem(work, settlement, output, source, ticket, paths)
        return nil
      }
      return endAttempt(
        AttemptEnd(work: work, settlement: settlement, finish: finish, output: output, source: source, ticket: ticket),
        &freed, &state, &record, at: now)
    }
  }

  /// Records the end of an attempt, which has failed if it has taken too long, and says how it counts.
  @inline(never)
  private func endAttempt(
    _ end: AttemptEnd, _ freed: inout (any Sendable)?, _ state: inout RunState, _ record: inout Recorder.Record,
    at date: Date
  ) -> RunResult {
    let verdict = state.machine.verdict(end.ticket, end.settlement)
    let settlement = verdict.timeout.map { located(.failed($0), end.source) } ?? end.settlement
    let source = verdict.isFinal ? end.source : end.source.failing(.retried)
    record.append(
      verdict.timeout == nil ? end.finish : settlement.recorded(FlowEvent.Kind.finished), source: source, at: date)
    state.willRetry = !verdict.isFinal
    if verdict.isFinal { freed = state.keepItem(end.work, settlement, end.output, end.source, end.ticket, paths) }
    return .settled(settlement)
  }

  /// Records how something ended, with its place added to errors of our own.
  func recordEnd(_ settlement: Settlement, of source: FlowEvent.Source) -> Settlement {
    let settlement = located(settlement, source)
    recorder.record(settlement.recorded(FlowEvent.Kind.finished), source: source)
    return settlement
  }

  private func located(_ settlement: Settlement, _ source: FlowEvent.Source) -> Settlement {
    guard case .failed = settlement else { return settlement }
    return explained(settlement).located(flow: flowName, step: source, path: paths.path(of: Int(source.step)))
  }

  /// Keeps what is needed of a piece of work that settles, under the locks and before the state machine is told.
  ///
  /// It returns the result that counts, if that is another one.
  typealias Keeping = (inout RunState, RunWork, inout Recorder.Record, Date) -> RunResult?

  /// Tells the state machine the result of a piece of work, and carries out what it decides.
  ///
  /// A lane gets its next work in the same go.
  @discardableResult
  func settle(
    _ ticket: WorkTicket, _ result: RunResult, _ source: FlowEvent.Source? = nil, lane: LaneUse,
    keeping: Keeping = { _, _, _, _ in nil }
  ) -> RunClaim? {
    var effects = PendingEffects()
    // One time for the end of this work and the start of the next, because there is nothing between them.
    let now = Date()
    var wasContended = false
    var next = state.withLock(isContended: &wasContended) { state -> RunClaim? in
      guard let work = state.machine.work(of: ticket) else { return nil }
      effects.freed = state.running.remove(ticket)
      return recorder.write { record in
        let result = keeping(&state, work, &record, now) ?? result
        state.noteEnd(of: work, result, ticket, at: now)
        var (decided, offer) =
          lane == .goesOn ? state.machine.settleAndClaim(ticket, result) : (state.machine.settle(ticket, result), nil)
        if state.machine.isStopping { state.noteDecision(by: work, source, ticket, blueprint, at: now) }
        if !decided.isEmpty { effects.take(decided, state, &record, blueprint, at: now) }
        effects.progress = state.progress?.moved(after: ticket, state.machine)
        effects.rests = lane == .rests && state.machine.runningCount > 0
        if effects.rests { state.pendingLaneCount += 1 }
        if lane == .rests, !effects.rests { offer = state.machine.claim() }
        var next: RunClaim?
        if let offer {
          state.noteClaim(offer, hasAttempts: blueprint.hasAttemptPlans, at: now)
          next = claimed(offer, isWatched: state.progress != nil, &record, &effects, at: now)
        }
        effects.laneCount = state.lanesToAdd()
        effects.isWatched = record.isWatched
        return next
      }
    }
    next?.wasContended = wasContended
    perform(effects)
    return next
  }

  // MARK: Effects

  func perform(_ effects: PendingEffects) {
    if effects.isWatched { recorder.deliver() }
    effects.progress?.apply()
    let stopped = effects.cancelled.compactMap { $0.stop(bucket) }
    if !effects.timers.isEmpty { setTimers(effects.timers) }
    addLanes(effects.laneCount)
    if effects.rests { lanes.addLater { self.runLane() } }
    // Users' calls come last: one that does not return holds up nothing that the run needs.
    for operation in stopped { operation.callCancel() }
  }
}

extension RunEngine: WorkHost {
  func isStopping(_ ticket: WorkTicket) -> Bool { state.withLock { $0.machine.isStopping(ticket) } }

  /// Takes the progress that some work reports; after its end this changes nothing.
  func workDidReport(_ ticket: WorkTicket, fraction: Double) {
    let progress = state.withLock { state -> RunProgress? in
      guard state.machine.work(of: ticket) != nil else { return nil }
      return state.progress?.report(fraction, ticket, state.machine)
    }
    progress?.apply()
  }

  func operationWillStart(_ operation: FlowOperation, _ ticket: WorkTicket, _ source: FlowEvent.Source) -> Bool {
    willStart(ticket, source, .operation(operation))
  }

  func operationDidSettle(_ operation: FlowOperation?, _ attachment: OperationAttachment, _ settlement: Settlement) {
    // An operation that is given up while the run stops did what it would have been told to do, only earlier.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping(attachment.ticket)
    let output = OperationPerformer(engine: self).output(of: operation, nil, attachment.source, settlement)
    complete(
      attachment.ticket, attachment.source, isGivenUp ? .cancelled : settlement, output: output, lane: .none)
  }
}
