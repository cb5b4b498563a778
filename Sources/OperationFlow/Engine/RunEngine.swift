import Foundation

/// Decides under one lock what a run does next, and carries out the decisions outside it.
///
/// Lanes claim work, perform it, and settle it here. Operations, observers and blocks are called outside the lock.
package final class RunEngine: Sendable {
  package let flowName: String
  private let shared: SharedBlueprint
  let table: BlueprintFacts
  package let bucket: DataBucket
  let recorder: Recorder
  let tasks: TaskSpawner
  private let settings: RunSettings
  package let dates: RunDates
  /// `nil` for nearly all runs.
  let extras: RunExtras?
  /// What the random parts of delays are made from.
  let seed: UInt64
  /// How many attempts there were before the run.
  private let earlierAttempts: Int
  let state: Locked<RunState>
  let gates: [any Gate]
  /// The queue of its lanes: loops on threads, each of which performs work until there is none for it.
  private let lanes: LaneQueue

  /// The engine of a run; one with a refusal runs nothing.
  package init(
    _ launch: borrowing Launch, _ bucket: DataBucket, _ refusal: Settlement?, keeper: (any RunKeeper)? = nil,
    didFinish: (@MainActor @Sendable () -> Void)?
  ) {
    let blueprint = launch.shared
    let limits = launch.settings.limits
    let driven = launch.drivenClock
    flowName = launch.flowName
    shared = blueprint
    table = launch.facts
    self.bucket = bucket
    recorder = launch.recorder
    settings = launch.settings
    dates = launch.dates
    earlierAttempts = max(0, (launch.task?.attempt ?? 1) - 1)
    seed = limits.seed ?? (blueprint.value.has(.attempts) ? .random(in: 0 ... .max) : 0)
    lanes = LaneQueue(name: "OperationFlow." + launch.flowName)
    let extras = RunExtras.of(launch, refusal, keeper, driven)
    self.extras = extras
    gates = Self.gates(blueprint.value, extras)
    tasks = blueprint.value.has(.tasks) ? TaskSpawner(on: driven) : .inheritingNothing(on: driven)
    // Operations may report to the record after their end, and outlive runs.
    if !blueprint.value.declaresNothing { recorder.identity.begin(recorder) }
    var machine = RunStateMachine(blueprint, retryBudget: limits.retryBudget)
    machine.holdsWorkBack = keeper?.holdsWorkBack == true
    if let refusal { machine.refuse(refusal) }
    var state = RunState(machine: consume machine, outcome: RunOutcome(didFinish: didFinish), facts: RunFacts(table))
    if let error = refusal?.error {
      state.facts.decide(
        .failed(ReportedWork(ofFlow: flowName, error, path: (error as? FlowError)?.path, isRefusal: true)))
    } else if refusal != nil {
      state.facts.decide(.cancelled(.task))
    }
    if let task = launch.task { state.id = task.run }
    self.state = Locked(consume state)
  }

  deinit {
    if !blueprint.declaresNothing { recorder.identity.end() }
  }

  package var blueprint: Blueprint { shared.value }
  package var clock: any Clock<Duration> { settings.clock }
  var source: FlowEvent.Source { FlowEvent.Source(flowName) }
  var paths: PathTable { table.paths }
  package var performer: StepPerformer { StepPerformer(engine: self) }

  package var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  var currentOutcome: FlowOutcome? { state.withLock { $0.outcome.current } }

  /// How the run ended, for the task that has called `run()`; cancelling that cancels the run.
  nonisolated(nonsending) var outcomeForCaller: FlowOutcome {
    get async {
      if let outcome = currentOutcome { return outcome }
      return await withTaskCancellationHandler {
        await outcome()
      } onCancel: {
        cancel(by: .task)
      }
    }
  }

  /// How the run ended; waits for the end without blocking a thread.
  ///
  /// The outcome is read under the lock, never passed by the continuation: the thread sanitizer doesn't see that a
  /// continuation orders the code before and after it.
  nonisolated(nonsending) func outcome() async -> FlowOutcome {
    while true {
      await withUnsafeContinuation { continuation in
        let mustWait = state.withLock { $0.outcome.mustWait(continuation) }
        if !mustWait { continuation.resume() }
      }
      if let outcome = currentOutcome { return outcome }
    }
  }

  // MARK: Lanes

  func addLanes(_ count: Int) {
    if count > 0 { addLanes(count) { self.runLane() } }
  }

  /// Adds a lane that begins with something else than a claim.
  package func addLane(_ run: @escaping @Sendable () -> Void) { addLanes(1, run) }

  private func addLanes(_ count: Int, _ run: @escaping @Sendable () -> Void) {
    guard let clock = driven?.clock else { return lanes.add(count, run) }
    // It performs the work of its runs itself, one lane at a time.
    for _ in 0..<count { clock.perform(run) }
  }

  /// Gives the queue a starter for an operation that can't be started directly, because it has dependencies.
  func enqueue(_ starter: Operation) {
    if let held = lanes.add(starter) { state.withLock { $0.rareOrNew.heldForStarters.append(held) } }
  }

  /// Claims and performs work until there is none, or until a piece of it ends elsewhere.
  func runLane(in lane: TaskLane? = nil) {
    runLane(from: claimNext(isNewLane: true), in: lane)
  }

  /// Claims the next work for a lane that is new, or whose work has to wait for something; `nil` if there is none.
  package func claimNext(isNewLane: Bool = false) -> Claim? {
    let now = dates.now
    var effects = PendingEffects()
    let next = state.withLock { state -> Claim? in
      if isNewLane { state.pendingLaneCount -= 1 }
      guard let offer = state.machine.claim() else { return nil }
      effects.laneCount = state.lanesToAdd()
      return claimed(offer, &state, &effects, at: now)
    }
    perform(effects)
    return next
  }

  /// Performs a claim, and continues as a lane does.
  func runLane(from first: Claim?, in lane: TaskLane? = nil) {
    var next = first
    let performer = StepPerformer(engine: self, lane: lane)
    while let claim = next {
      if lane != nil, mayBlock(claim.work) { return addLane { self.runLane(from: claim) } }
      next = mayPerform(claim) ? performer.perform(claim) : claimNext()
    }
  }

  /// Lets a lane await some work: this one if it is a task, unless a user's synchronous code has cancelled that, for it
  /// looks like its own; otherwise a new one.
  func awaitEnd(of work: consuming AwaitedWork, _ source: FlowEvent.Source, in lane: TaskLane?) {
    if blueprint.isLimited(Int(source.step)) { work = work.counted(as: source, in: self) }
    if let driven { work = work.known(to: driven) }
    if let lane, !Task.isCancelled { lane.await(work) } else { TaskLane.start(self, with: work) }
  }

  /// Makes the claim that a lane gets; work that was parked continues with its own.
  func claimed(_ offer: RunOffer, _ state: inout RunState, _ effects: inout PendingEffects, at moment: RunMoment)
    -> Claim
  {
    if let parked = state.claims[offer.ticket] { return state.claimAgain(parked, at: moment) }
    if let timers = offer.timers { effects.timers += timers }
    return state.begin(offer, attempt: offer.attempt + earlierAttempts, hasTimes: blueprint.has(.timed), at: moment)
  }

  // MARK: Starting

  /// Notes that an operation or a closure is about to start; false if its end is decided, and it must not start.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ operation: FlowOperation? = nil) -> Bool {
    let now = dates.now
    let (claim, isWatched) = state.withLock { state -> (Claim?, Bool) in
      // What has been abandoned before it started has no claim any more.
      let claim = state.claims[ticket]
      if let operation { claim?.cancellable = .operation(operation) }
      guard let claim, !state.machine.isStopping(ticket) else { return (nil, false) }
      let isUndo = blueprint.has(.undo) && state.machine.work(of: ticket)?.kind == .undo
      return recorder.write { record in
        if isUndo {
          record.append(.plain(.undoStarted), source: source, at: now)
        } else {
          record.append(.plain(.started), source: source, at: now)
        }
        return (claim, record.isWatched)
      }
    }
    if isWatched { recorder.deliver() }
    guard let claim else { return false }
    noteBegin(claim)
    if operation != nil { workBegins(ticket, source) }
    return true
  }

  /// Notes what there is to cancel under a ticket, and returns whether it is to be cancelled immediately.
  func track(_ cancellable: Cancellable, _ ticket: WorkTicket) -> Bool {
    state.withLock { state in
      guard let claim = state.claims[ticket] else { return true }
      claim.cancellable = cancellable
      return state.machine.isStopping(ticket)
    }
  }

  func context(_ source: FlowEvent.Source, _ ticket: WorkTicket, of step: Blueprint.StepID) -> FlowContext {
    FlowContext(
      host: self, source: source, ticket: ticket,
      declared: blueprint.has(.declaresKeys) ? blueprint.steps[step].options?.declared : nil)
  }

  /// Starts a task for claimed work, so that it can be cancelled.
  func startTask(
    _ ticket: WorkTicket, _ body: @escaping @Sendable () async throws -> (any Sendable)?,
    done: @escaping @Sendable (Settlement, (any Sendable)?) -> Void
  ) {
    calling(ticket) {
      tasks.spawn {
        var output: (any Sendable)?
        var settlement = Settlement.succeeded
        do { output = try await body() } catch { settlement = Task.isCancelled ? .cancelled : Settlement(error) }
        done(settlement, output)
      } started: { task in
        if self.track(.task(task), ticket) { task.cancel() }
      }
    }
  }

  func source(of claim: Claim, _ cancellable: Cancellable) -> FlowEvent.Source {
    let work = claim.work
    return cancellable.operation?.source(in: self)
      ?? FlowEvent.Source(blueprint.name(of: work), step: work.step, item: work.item, attempt: claim.attempt)
  }

  // MARK: Settling

  package func located(_ settlement: Settlement, _ source: FlowEvent.Source) -> Settlement {
    guard case .failed(var error) = settlement else { return settlement }
    // Outputs that earlier steps did not write may be the reason for it.
    if let found = error as? FlowError { error = explaining(found) }
    return Settlement.failed(error).located(flow: flowName, step: source, path: paths.path(of: Int(source.step)))
  }

  // MARK: Effects

  /// Takes in under the lock what the state machine has decided.
  func take(_ decided: [RunEffect], in effects: inout PendingEffects, _ state: inout RunState, at moment: RunMoment) {
    recorder.write { record in
      state.note(decided, in: &effects, &record, blueprint, at: moment)
      effects.isWatched = record.isWatched
    }
    effects.laneCount += state.lanesToAdd()
  }

  func perform(_ effects: borrowing PendingEffects) {
    if !effects.isEmpty || blueprint.has(.handedResults) { performAll(effects) }
  }

  private func performAll(_ effects: borrowing PendingEffects) {
    let rare = effects.known
    if let rare, !rare.limiters.isEmpty { FlowLimiter.serve(rare.limiters) }
    // Before anything goes on: the run may have ended by the time that it has.
    if let rare { endPassedOver(rare) }
    if effects.isWatched { recorder.deliver() }
    rare?.follower?.apply()
    let stopped = rare.map { stop($0.cancelled) } ?? []
    if !effects.timers.isEmpty { changeTimers(effects.timers) }
    addLanes(effects.laneCount)
    // Users' calls come last: one that does not return holds up nothing that the run needs.
    for operation in stopped { operation.callCancel() }
    for ticket in rare?.abandoned ?? [] { abandon(ticket) }
    if blueprint.has(.handedResults) { handOnResults() }
  }
}
