import Foundation

/// Decides under one lock what a run does next, and puts into effect what was decided outside of it.
///
/// Lanes claim work, perform it, and settle it here. Operations, observers and blocks are called outside the lock.
final class RunEngine: Sendable {
  let flowName: String
  let blueprint: Blueprint
  let paths: PathTable
  let bucket: DataBucket
  let recorder: Recorder
  let tasks: TaskSpawner
  /// What closures have used without declaring it; `nil` if no step declares keys.
  private let undeclaredUses: UndeclaredUses?
  /// Why it runs nothing; the blueprint's operations are not its own then.
  private let refusal: FlowError?
  private let clock: any Clock<Duration>
  private let state: Locked<RunState>
  private let lanes: RunLanes

  init(
    flowName: String, blueprint: Blueprint, paths: PathTable, bucket: DataBucket, recorder: Recorder,
    refusal: FlowError?, clock: any Clock<Duration>, didFinish: (@MainActor @Sendable () -> Void)?
  ) {
    self.flowName = flowName
    self.blueprint = blueprint
    self.paths = paths
    self.bucket = bucket
    self.recorder = recorder
    self.refusal = refusal
    self.clock = clock
    tasks = TaskSpawner(isNeeded: blueprint.mayNeedTasks)
    undeclaredUses = blueprint.declaresKeys ? UndeclaredUses() : nil
    lanes = RunLanes(name: "OperationFlow." + flowName)
    var machine = RunStateMachine(blueprint)
    if let refusal { machine.refuse(refusal) }
    state = Locked(RunState(machine: machine, outcome: RunOutcome(didFinish: didFinish)))
  }

  var source: FlowEvent.Source { FlowEvent.Source(flowName) }

  /// Whether the run's end is decided.
  var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  /// How the run ended; `nil` while it has not.
  var currentOutcome: FlowOutcome? { state.withLock { $0.outcome.current } }

  /// How the run ended, waited for without holding a thread.
  var outcome: FlowOutcome {
    get async {
      await withCheckedContinuation { continuation in
        if let outcome = state.withLock({ $0.outcome.wait(continuation) }) { continuation.resume(returning: outcome) }
      }
    }
  }

  // MARK: Control

  /// Begins, unless it has begun: records the start, and gives the first lane to the queue.
  func begin() {
    recorder.record(.flowStarted(bucket.listing()), source: .dataBucket)
    if let refusal { recorder.record(.finished(Settlement.failed(refusal).eventFinish), source: source) }
    let count = state.withLock { state in
      state.beganAt = .now
      state.machine.begin()
      return state.lanesToAdd()
    }
    addLanes(count)
  }

  func cancel() {
    var effects = PendingEffects()
    var laneCount = 0
    state.withLock { state in
      guard !state.machine.isStopping else { return }
      let decided = state.machine.cancel()
      state.paused = nil
      recorder.write { record in
        let now = Date()
        record.append(.cancelRequested, source: source, at: now)
        effects.take(decided, state, &record, blueprint, at: now)
        effects.isWatched = record.isWatched
      }
      laneCount = state.lanesToAdd()
    }
    perform(effects)
    if refusal == nil, isStopping { blueprint.discardInstances() }
    addLanes(laneCount)
  }

  var isPaused: Bool {
    get { state.withLock { $0.machine.isPaused } }
    set {
      let count = state.withLock { state in
        guard state.machine.isPaused != newValue, !state.machine.hasEnded else { return 0 }
        state.machine.pause(newValue)
        state.paused = newValue ? self : nil
        recorder.append(newValue ? .paused : .resumed, source: source)
        return state.lanesToAdd()
      }
      recorder.deliver()
      addLanes(count)
    }
  }

  /// How far the run has come; made when it is first asked for, and the same from then on.
  var progress: Progress {
    if let known = state.withLock({ $0.progress }) { return known.progress }
    let made = RunProgress(
      cancel: { [weak self] in self?.cancel() }, pause: { [weak self] in self?.isPaused = true },
      resume: { [weak self] in self?.isPaused = false })
    let kept = state.withLock { state in
      let kept = state.progress ?? made
      state.progress = kept
      return kept.moved(after: nil, state.machine)
    }
    kept.apply()
    return kept.progress
  }

  // MARK: Lanes

  private func addLanes(_ count: Int) {
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
        effects.laneCount = state.lanesToAdd()
        return claimed(offer, isWatched: state.progress != nil, &record, &effects, at: now)
      }
    }
    perform(effects)
    let performer = StepPerformer(engine: self)
    while let claim = next { next = performer.perform(claim) }
  }

  /// What a lane is given.
  ///
  /// A closure counts as started in the same moment, so that the locks are taken once. Not so if somebody is told
  /// first: who observes the run or its progress may cancel it on hearing that the last step has ended, and then no
  /// other starts.
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

  /// An operation or a closure is about to start; false if its end is decided, and it may not start any more.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ running: RunningWork.Item? = nil) -> Bool {
    let (mayStart, isWatched) = state.withLock { state in
      if let running { state.running.track(running, ticket) }
      guard !state.machine.isStopping(ticket) else { return (false, false) }
      return (true, recorder.append(.started, source: source))
    }
    if isWatched { recorder.deliver() }
    return mayStart
  }

  /// Says what there is to cancel under a ticket, and whether it is to be cancelled at once.
  func track(_ running: RunningWork.Item, _ ticket: WorkTicket) -> Bool {
    state.withLock { state in
      guard state.machine.work(of: ticket) != nil else { return state.machine.isStopping }
      state.running.track(running, ticket)
      return state.machine.isStopping(ticket)
    }
  }

  /// Holds an operation no longer that never said that it ends later.
  func loosen(_ ticket: WorkTicket, _ operation: FlowOperation) {
    state.withLock { $0.running.loosen(ticket, operation) }
  }

  /// What a step's closure is given.
  func context(_ source: FlowEvent.Source, _ ticket: WorkTicket, of step: Blueprint.StepID) -> FlowContext {
    FlowContext(host: self, source: source, ticket: ticket, declared: undeclaredUses.flatMap { keyCheck(of: step, $0) })
  }

  /// What holds a step's closure to the keys that it declares; `nil` if it declares none.
  private func keyCheck(of step: Blueprint.StepID, _ found: UndeclaredUses) -> DeclaredKeyCheck? {
    blueprint.steps[step].options.declared.map { DeclaredKeyCheck($0, step: step, found: found) }
  }

  /// Looks at the groups at work, or changes them; their outputs must not be copied.
  @inline(__always)
  func withGroups<Result>(_ body: (inout GroupRuns) -> Result) -> Result { state.withLock { body(&$0.groups) } }

  // MARK: Settling

  /// An operation or a closure has ended: records it, keeps what it left, and goes on.
  @discardableResult
  func complete(
    _ ticket: WorkTicket, _ source: FlowEvent.Source, _ settlement: Settlement, output: (any Sendable)? = nil,
    lane: LaneUse
  ) -> RunClaim? {
    let settlement = located(settlement, source)
    // An error describes itself in code of its own, which must not run under the lock.
    let finish = settlement.eventFinish
    // A value that is freed may use the run: so not under the lock.
    var freed: (any Sendable)?
    defer { withExtendedLifetime(freed) {} }
    return settle(ticket, .settled(settlement), lane: lane) { state, work, record, now in
      // Recorded in the same moment in which it counts, so that the record agrees with the outcome.
      guard blueprint.hasAttemptPlans else {
        record.append(.finished(finish), source: source, at: now)
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
    record.append(
      .finished(verdict.timeout == nil ? end.finish : settlement.eventFinish), source: end.source, at: date)
    if verdict.isFinal { freed = state.keepItem(end.work, settlement, end.output, end.source, end.ticket, paths) }
    return .settled(settlement)
  }

  /// Records how something ended, with its place added to errors of our own.
  func recordEnd(_ settlement: Settlement, of source: FlowEvent.Source) -> Settlement {
    let settlement = located(settlement, source)
    recorder.record(.finished(settlement.eventFinish), source: source)
    return settlement
  }

  private func located(_ settlement: Settlement, _ source: FlowEvent.Source) -> Settlement {
    guard case .failed = settlement else { return settlement }
    return settlement.located(flow: flowName, step: source, path: paths.path(of: Int(source.step)))
  }

  /// What is kept, under the locks and before the state machine is told, of a piece of work that settles.
  ///
  /// What it returns is the result that counts, if that is another.
  typealias Keeping = (inout RunState, RunWork, inout Recorder.Record, Date) -> RunResult?

  /// Tells the state machine what a piece of work came to, and puts into effect what it decides.
  ///
  /// A lane is given its next work in the same go.
  @discardableResult
  func settle(
    _ ticket: WorkTicket, _ result: RunResult, lane: LaneUse, keeping: Keeping = { _, _, _, _ in nil }
  ) -> RunClaim? {
    var effects = PendingEffects()
    // One time for the end of this work and the start of the next, for there is nothing between them.
    let now = Date()
    var wasContended = false
    var next = state.withLock(isContended: &wasContended) { state -> RunClaim? in
      guard let work = state.machine.work(of: ticket) else { return nil }
      effects.freed = state.running.remove(ticket)
      return recorder.write { record in
        let result = keeping(&state, work, &record, now) ?? result
        var (decided, offer) =
          lane == .goesOn ? state.machine.settleAndClaim(ticket, result) : (state.machine.settle(ticket, result), nil)
        if !decided.isEmpty { effects.take(decided, state, &record, blueprint, at: now) }
        effects.progress = state.progress?.moved(after: ticket, state.machine)
        effects.rests = lane == .rests && state.machine.runningCount > 0
        if effects.rests { state.pendingLaneCount += 1 }
        if lane == .rests, !effects.rests { offer = state.machine.claim() }
        var next: RunClaim?
        if let offer { next = claimed(offer, isWatched: state.progress != nil, &record, &effects, at: now) }
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

  private func perform(_ effects: PendingEffects) {
    if effects.isWatched { recorder.deliver() }
    effects.progress?.apply()
    for running in effects.cancelled { running.cancel() }
    if !effects.timers.isEmpty { setTimers(effects.timers) }
    addLanes(effects.laneCount)
    if effects.rests { lanes.addLater { self.runLane() } }
  }

  /// Starts and stops timers; what waits for them is made when the first one is asked for.
  private func setTimers(_ effects: [RunEffect]) {
    let timers = state.withLock { state in
      let timers = state.timers ?? clock.makeTimers { self.fire($0) }
      state.timers = timers
      return timers
    }
    timers.take(effects)
  }

  private func fire(_ timer: TimerID) {
    var effects = PendingEffects()
    state.withLock { state in
      let decided = state.machine.fire(timer)
      recorder.write { record in effects.take(decided, state, &record, blueprint, at: Date()) }
      effects.laneCount = state.lanesToAdd()
    }
    perform(effects)
  }

  // MARK: The end

  /// Everything that was started has settled: ends the run, and tells all who wait.
  func finish(_ ticket: WorkTicket) {
    if refusal == nil { blueprint.discardInstances() }
    let (decided, open) = state.withLock { ($0.machine.ending, $0.machine.openSteps) }
    let ending = decided ?? .succeeded
    for step in open { _ = recordEnd(ending, of: FlowEvent.Source(blueprint.steps[step].name, step: step)) }
    recorder.seal(with: .flowFinished(ending.eventFinish, bucket.listing()), source: .dataBucket) {
      self.announce(ending, ticket)
    }
  }

  /// Every observer has been told of the end: tells those who wait for the outcome.
  private func announce(_ ending: Settlement, _ ticket: WorkTicket) {
    let (data, log) = (bucket.values, recorder.log)
    let report = state.withLock { $0.report(flowName, data, log) }
    let outcome =
      switch ending {
      case .succeeded: FlowOutcome.succeeded(report)
      case .failed(let error): FlowOutcome.failed(error, report)
      case .cancelled: FlowOutcome.cancelled(report)
      }
    // What is freed may use the run: so not under the lock.
    let (announcement, _, _) = state.withLock { state in
      _ = state.machine.settle(ticket, .settled(ending))
      defer { (state.paused, state.timers) = (nil, nil) }
      return (state.outcome.resolve(outcome), state.groups.removeAll(), state.timers)
    }
    announcement.make()
  }
}

extension RunEngine: WorkHost {
  func isStopping(_ ticket: WorkTicket) -> Bool { state.withLock { $0.machine.isStopping(ticket) } }

  /// Some work says how far it has come; past its end this changes nothing.
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
    // What is given up while the run stops has done as it was told, only before it was told.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping(attachment.ticket)
    let output = OperationPerformer.output(of: operation, nil, attachment.source, settlement)
    complete(
      attachment.ticket, attachment.source, isGivenUp ? .cancelled : settlement, output: output, lane: .none)
  }
}
