import Foundation

/// What the lock of a run's engine guards.
struct RunState: ~Copyable, Sendable {
  var machine: RunStateMachine
  var outcome: RunOutcome
  var running = RunningWork()
  var groups = GroupRuns()
  /// When work was claimed.
  var claims = ClaimNotes()
  /// Whether it has begun, if only to end.
  var hasBegun = false
  /// What identifies a run without a store, made when it is first asked for.
  lazy var id = UUID().uuidString
  /// Whether it is being restored from its journal: nothing is performed.
  var isReplaying = false
  /// Lanes that are on the queue and have not claimed yet.
  var pendingLaneCount = 0
  /// The engine itself, while it is paused: nothing else might hold it until it is resumed.
  var paused: RunEngine?
  /// The handle, which is told of the end; the two hold each other until then.
  var handle: FlowRun?
  /// Made when it is first asked for.
  var progress: RunProgress?
  var itemFailures: [FlowItemFailure] = []
  var beganAt: Duration?
  /// What became of the steps so far.
  var facts: RunFacts
  /// Whether another attempt, or a recovery, follows what settles.
  var willContinue = false
  /// Made when the state machine first asks for a timer.
  var timers: (any RunTimers)?
  /// What few runs keep; `nil` until something of it is kept.
  private(set) var rare: RareRunState?

  /// What few runs keep, made if it isn't there.
  var rareOrNew: RareRunState {
    mutating get {
      if let rare { return rare }
      let new = RareRunState()
      rare = new
      return new
    }
  }

  /// Returns how many lanes to add so that all useful lanes are on the queue, and counts them as added.
  mutating func lanesToAdd() -> Int {
    if isReplaying { return 0 }
    // What is parked needs no lane.
    let useful = RunLanes.usefulCount(
      claimable: machine.claimableCount, running: machine.runningCount - machine.parking.count)
    let count = max(0, useful - pendingLaneCount)
    pendingLaneCount += count
    return count
  }

  /// The work whose end a journal has to note; `nil` while the run is restored, and of what no longer counts.
  ///
  /// A call that isn't inlined, and changes nothing: otherwise, the compiler copies the whole state.
  @inline(never)
  mutating func notedWork(of ticket: WorkTicket) -> RunWork? { isReplaying ? nil : machine.work(of: ticket) }

  /// Keeps the output or the failure of a group's item, and returns what is no longer needed.
  @inline(never)
  mutating func keepItem(
    _ work: RunWork, _ settlement: borrowing Settlement, _ output: (any Sendable)?, _ source: FlowEvent.Source,
    _ ticket: WorkTicket, _ paths: PathTable, _ errorText: String?
  ) -> (any Sendable)? {
    if machine.blueprint.hasUndos, settlement.isSuccess { keepForUndo(work, output, source) }
    guard let index = work.item, let step = work.step else { return nil }
    if machine.blueprint.handsOnResults { holdResult(settlement, output, index, source, ticket) }
    if settlement.isSuccess { return groups.update(step) { $0.end(index, output: output) } ?? nil }
    // What was cancelled because the run ends has not failed.
    if settlement.isCancelled, machine.isStopping(ticket) {
      _ = groups.update(step) { $0.endCancelled(index) }
      return nil
    }
    guard let error = settlement.error,
      let item = groups.update(
        step, { group in group.item(at: index).map { ($0, group.hidesInputs, group.inputName) } })
    else { return nil }
    guard let (input, isSensitive, inputName) = item else { return nil }
    let failure = FlowItemFailure(
      name: source.description, index: index, input: input, error: error, path: paths.path(of: step),
      attempt: source.attempt, inputName: inputName, isInputSensitive: isSensitive,
      texts: itemFailures.count < FlowItemFailure.describedCount ? .init(error: errorText, input: input) : nil)
    itemFailures.append(failure)
    return groups.update(step) { $0.end(index, failure: failure) } ?? nil
  }

  /// What is known about the run at its end.
  func report(
    _ flowName: String, _ data: [String: any Sendable], _ log: EventLog, _ dates: RunDates
  ) -> FlowReport {
    var facts = currentFacts
    facts.end(at: dates.now)
    return FlowReport(
      flowName: flowName, duration: beganAt.map { dates.elapsed - $0 } ?? .zero, stepCount: machine.stepCount,
      itemFailures: itemFailures, data: data, log: log, facts: facts)
  }
}
