import Foundation

/// Decides under one lock what a run does next, and carries out the decisions outside it.
///
/// Lanes claim work, perform it, and settle it here. Operations, observers and blocks are called outside the lock.
package final class RunEngine: Sendable {
  package let flowName: String
  private let shared: SharedBlueprint
  let table: BlueprintFacts
  package let bucket: DataBucket
  package let recorder: Recorder
  let tasks: TaskSpawner
  private let settings: RunSettings
  package let dates: RunDates
  /// The reason why the run does nothing; such a run has not reserved the blueprint's operations.
  let refusal: Settlement?
  var limits: RunLimits { settings.limits }
  /// The probe of a test; `nil` outside tests.
  var probe: (any RunProbe)? { settings.probe }
  /// The keeper that stores its results; `nil` for a run without a store.
  let keeper: (any RunKeeper)?
  /// The request of another engine, if this run performs one of its tasks.
  let task: RunTask?
  /// The state of its operations that wait for something outside the run, such as the messages that arrived for them.
  package let waits: (any RunWaits)?
  /// The run as a driven clock sees it; `nil` unless a program drives the clock.
  let driven: DrivenRun?
  /// The seed of the random parts of delays.
  let seed: UInt64
  /// The number of attempts before this run, if it performs the task of another engine.
  private let earlierAttempts: Int
  let state: Locked<RunState>
  let gates: [any Gate]
  /// The queue of its lanes: loops on threads that perform work until there is none for them.
  private let lanes: LaneQueue

  /// Creates the engine of a run; with a refusal, the run does nothing.
  package init(
    _ launch: Launch, _ bucket: DataBucket, _ refusal: Settlement?, keeper: (any RunKeeper)? = nil,
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
    self.refusal = refusal
    self.keeper = keeper
    task = launch.task
    waits = blueprint.value.makeWaits()
    self.driven = driven.map(DrivenRun.init)
    gates = Self.gates(blueprint.value, keeper, settings.probe)
    tasks = TaskSpawner(on: driven, inherits: blueprint.value.has(.tasks))
    // Operations may report to the record after their end, and may outlive runs.
    if !blueprint.value.declaresNothing { recorder.identity.begin(recorder) }
    var machine = RunStateMachine(blueprint, retryBudget: limits.retryBudget)
    machine.holdsWorkBack = keeper?.holdsWorkBack == true
    if let refusal { machine.refuse(refusal) }
    var state = RunState(machine: consume machine, outcome: RunOutcome(didFinish: didFinish), facts: RunFacts(table))
    if let error = refusal?.error {
      state.facts.decide(
        .failed(ReportedWork(ofFlow: flowName, error, path: error.flowError?.path, isRefusal: true)))
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
  package var source: FlowEvent.Source { FlowEvent.Source(flowName) }
  package var paths: PathTable { table.paths }
  /// The date on the run's clock, which may be set.
  package var now: Date { dates.now.date }
  /// The time on the run's clock, which no one sets.
  package var time: Date { dates.now.time }
  /// The duration of the run so far; `nil` if it has not begun.
  package var duration: Duration? { state.withLock { $0.beganAt }.map { dates.elapsed - $0 } }
  package var performer: StepPerformer { StepPerformer(engine: self) }

  package var isStopping: Bool { state.withLock { $0.machine.isStopping } }

  var currentOutcome: FlowOutcome? { state.withLock { $0.outcome.current } }

  /// The outcome for the task that has called `run()`; cancelling that task cancels the run.
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

  /// Returns how the run ended; waits for the end without blocking a thread.
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

  /// Adds a lane that begins with other code than a claim.
  package func addLane(_ run: @escaping @Sendable () -> Void) { addLanes(1, run) }

  private func addLanes(_ count: Int, _ run: @escaping @Sendable () -> Void) {
    guard let clock = driven?.clock else { return lanes.add(count, run) }
    // A driven clock runs the lanes of its runs itself, one at a time.
    for _ in 0..<count { clock.perform(run) }
  }

  /// Adds a starter to the queue, for an operation whose dependencies have not finished.
  func enqueue(_ starter: Operation) {
    if let held = lanes.add(starter) { state.withLock { $0.heldForStarters.append(held) } }
  }

  /// Claims and performs work until there is none, or until a piece of it ends elsewhere.
  func runLane(in lane: TaskLane? = nil) {
    runLane(from: claimNext(isNewLane: true), in: lane)
  }

  /// Claims the next work for a new lane, or for one whose work has to wait; `nil` if there is none.
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

  /// Performs a claim, and then further work as any lane does.
  func runLane(from first: Claim?, in lane: TaskLane? = nil) {
    var next = first
    let performer = StepPerformer(engine: self, lane: lane)
    while let claim = next.take() {
      if let lane, !lane.isOnThread, mayBlock(claim.work) {
        return lane.leave { self.runLane(from: claim, in: $0) }
      }
      next = mayPerform(claim) ? performer.perform(claim) : claimNext()
    }
  }

  /// Awaits some work in the lane, through which it can be cancelled; without a lane, in a new one.
  func awaitEnd(of work: consuming AwaitedWork, _ source: FlowEvent.Source, in lane: TaskLane?) {
    if blueprint.isLimited(Int(source.step)) { work = work.counted(as: source, in: self) }
    if let driven { work = work.known(to: driven) }
    if let lane { lane.await(work) } else { TaskLane.start(self, with: work) }
  }

  /// Returns the claim for an offer; parked work continues with its own claim.
  func claimed(_ offer: RunOffer, _ state: inout RunState, _ effects: inout PendingEffects, at moment: RunMoment)
    -> Claim
  {
    if let parked = state.claims[offer.ticket] { return state.claimAgain(parked, at: moment) }
    if let timers = offer.timers { effects.decided += timers }
    return state.begin(offer, attempt: offer.attempt + earlierAttempts, hasTimes: blueprint.has(.timed), at: moment)
  }

  // MARK: Starting

  /// Records that an operation or a closure is about to start, and what can be cancelled of it.
  ///
  /// It returns false if the work must not start, because its end is decided.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, cancelling cancellable: Cancellable? = nil) -> Bool {
    let now = dates.now
    let (claim, isWatched) = state.withLock { state -> (Claim?, Bool) in
      // Work that was abandoned before it started has no claim any more.
      let claim = state.claims[ticket]
      if let cancellable { claim?.cancellable = cancellable }
      guard let claim, !state.machine.isStopping(ticket) else { return (nil, false) }
      if case .lane(let lane, _)? = cancellable { lane.track(ticket) }
      claim.hasBegun = true
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
    recordBegin(claim)
    if cancellable?.operation != nil { workBegins(ticket, source) }
    return true
  }

  /// Sets what can be cancelled of claimed work; returns true if it has to be cancelled immediately.
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

  /// Starts a task for claimed work, which can be cancelled.
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
    guard let own = settlement.error?.flowError else { return settlement }
    // The cause of the error may be an output that an earlier step did not write.
    return .failed(
      explaining(own).located(
        flow: flowName, step: source.description, path: paths.path(of: Int(source.step)), attempt: source.attempt))
  }

  package func warn(_ text: String) { recorder.record(.warned(text), source: source) }
}
