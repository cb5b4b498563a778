import Foundation

/// What the lock of a run's engine guards.
struct RunState: ~Copyable, Sendable {
  var machine: RunStateMachine
  var outcome: RunOutcome
  var claims = Claims()
  var groups = GroupRuns()
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
  var progress: RunProgress?
  var itemFailures: [FlowItemFailure] = []
  var beganAt: Duration?
  var facts: RunFacts
  /// What few runs keep; `nil` until something of it is kept.
  private(set) var rare: RareRunState?

  var rareOrNew: RareRunState { mutating get { rare.orNew(RareRunState()) } }

  /// Returns how many lanes to add so that all useful lanes are on the queue, and counts them as added.
  ///
  /// Useful is one for each piece of work that can be claimed, but not for a million at once: each lane that claims adds
  /// those that are useful then, so the number of lanes at work doubles while work is left.
  mutating func lanesToAdd() -> Int {
    if isReplaying { return 0 }
    // What is parked needs no lane.
    let running = machine.runningCount - machine.parking.count
    let count = max(0, min(machine.claimableCount, max(4, min(running, 64))) - pendingLaneCount)
    pendingLaneCount += count
    return count
  }

  /// Whether nothing goes on besides what was claimed, not even a time limit.
  var mayOnlyWait: Bool {
    machine.runningCount > 0 && machine.claimableCount == 0 && machine.timers.count == 0
      && (machine.isClosing || !machine.isStopping && !machine.isPaused) && machine.abandoned.isEmpty
  }

  /// Keeps what an undo needs of a step or an item that has succeeded, if it can be undone.
  private mutating func keepForUndo(_ work: RunWork, _ output: (any Sendable)?, _ source: FlowEvent.Source) {
    guard let step = work.step, let undo = work.undoing, machine.blueprint.steps[step].options?.undo != nil
    else { return }
    let item = work.item.flatMap { groups[step]?.item(at: $0) }
    rareOrNew.remains[undo] = WorkRemains(name: source.name, item: item, output: output)
  }

  /// Keeps the output or the failure of a group's item, and returns what is no longer needed.
  mutating func keepItem(
    _ work: RunWork, _ source: FlowEvent.Source, _ end: borrowing WorkEnd, _ paths: PathTable
  ) -> (any Sendable)? {
    let settlement = end.result.settlement
    let output = end.output
    if machine.blueprint.has(.undo), settlement.isSuccess { keepForUndo(work, output, source) }
    guard let index = work.item, let step = work.step, let group = groups[step] else { return nil }
    if let handing = end.decision.handing {
      let work = RunWork(.handOn, of: step, item: index)
      let claim = Claim(handing, work, attempt: source.attempt, at: end.claim?.time ?? end.moment.time)
      claims.insert(claim)
      group.handing?.append(DeliveryQueue.Held(claim, index, .of(settlement, output)))
    }
    if settlement.isSuccess {
      group.keep(index, output: output)
      return group.takePulled(index)
    }
    // What was cancelled because the run ends has not failed.
    if settlement.isCancelled, end.wasStopped {
      group.endCancelled(index)
      return nil
    }
    guard let error = settlement.failure, let input = group.item(at: index) else { return nil }
    let failure = FlowItemFailure(
      name: source.description, index: index, input: input, error: error, path: paths.path(of: step),
      attempt: source.attempt, inputName: group.allItems?.name, isInputSensitive: group.hidesInputs,
      texts: itemFailures.count < FlowItemFailure.describedCount ? .init(error: end.errorText, input: input) : nil)
    itemFailures.append(failure)
    return group.end(index, failure: failure)
  }
}
