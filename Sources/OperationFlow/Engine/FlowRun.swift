import Foundation

/// One execution of a flow, and the handle to it.
///
/// It has an operation queue of its own, on which steps run. It goes on, and ends, where nobody holds it. Every member
/// may be called from any thread.
public final class FlowRun: Sendable {
  // It puts the state machine's decisions into effect: lanes on the queue claim work, perform it, and settle it.
  // Decisions are made under the lock; operations, observers and blocks are called outside.

  struct State: Sendable {
    var machine: RunStateMachine
    var slots = RunSlots()
    /// Lanes that are on the queue and have not claimed yet.
    var pendingLaneCount = 0
    var group: GroupRun?
    /// The run itself, while it is paused: nothing else might hold it until it is resumed.
    var paused: FlowRun?
    /// Made when somebody first asks for it.
    var progress: RunProgress?
    var itemFailures: [FlowItemFailure] = []
    var beganAt: ContinuousClock.Instant?
    var outcome: FlowOutcome?
    var waiters: [CheckedContinuation<FlowOutcome, Never>] = []
    /// Called at the end, on the main actor; it holds the flow, so it goes when the run ends.
    var didFinish: (@MainActor @Sendable () -> Void)?
  }

  let flowName: String
  let blueprint: Blueprint
  /// The run's data bucket: it may be read and written while the run is under way, and is kept after its end.
  public let bucket: DataBucket
  let recorder: Recorder
  let state: Locked<State>
  /// Why it runs nothing; the blueprint's operations are not its own then.
  let refusal: FlowError?
  let tasks: TaskSpawner
  private let queue = OperationQueue()

  init(
    flowName: String, blueprint: Blueprint, bucket: DataBucket, recorder: Recorder, refusal: FlowError?,
    didFinish: (@MainActor @Sendable () -> Void)?
  ) {
    self.flowName = flowName
    self.blueprint = blueprint
    self.bucket = bucket
    self.recorder = recorder
    self.refusal = refusal
    self.tasks = TaskSpawner(isNeeded: blueprint.mayNeedTasks)
    var machine = RunStateMachine(blueprint)
    if let refusal { machine.refuse(refusal) }
    self.state = Locked(State(machine: machine, didFinish: didFinish))
    queue.name = "OperationFlow." + flowName
  }

  // MARK: For users

  /// How the run ended; awaiting it waits for the end and holds no thread.
  public var outcome: FlowOutcome {
    get async {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiters.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    }
  }

  /// How the run ended; `nil` while it has not.
  public var currentOutcome: FlowOutcome? { state.withLock { $0.outcome } }

  // MARK: Lanes

  /// Begins, unless it has begun: records the start, and gives the first lane to the queue.
  func begin() {
    recorder.record(.flowStarted(bucket.listing()), source: .dataBucket)
    if let refusal { recorder.record(.finished(Settlement.failed(refusal).eventFinish), source: source) }
    let lanes = state.withLock { state in
      state.beganAt = .now
      state.machine.begin()
      return lanesToAdd(&state)
    }
    addLanes(lanes)
  }

  /// How many lanes have to be added so that all claimable work has one, and counts them in.
  func lanesToAdd(_ state: inout State) -> Int {
    let count = max(0, state.machine.claimableCount - state.pendingLaneCount)
    state.pendingLaneCount += count
    return count
  }

  func addLanes(_ count: Int) {
    for _ in 0..<count { queue.addOperation { self.runLane() } }
  }

  /// A piece of work that a lane has claimed.
  struct Claim: Sendable {
    let work: RunWork
    let slot: RunSlots.ID
    /// Whether it has been recorded as started; else that is still to come, and to be asked for.
    let hasStarted: Bool
    /// Whether another lane was at the run's state when this one came to it.
    var wasContended = false
  }

  /// What becomes of a lane when its work settles.
  enum LaneUse: Sendable {
    /// It claims what is next.
    case goesOn
    /// It comes back a little later, if another is at work meanwhile.
    case rests
    /// It is gone already.
    case none
  }

  /// Claims the next piece of work, where there is any.
  ///
  /// A closure counts as started in the same moment, so that the locks are taken once. Not so where somebody is told
  /// first: who observes the run or its progress may cancel it on hearing that the last step has ended, and then no
  /// other starts.
  @inline(__always)
  func claim(_ state: inout State, _ record: inout Recorder.Record, at date: Date) -> (RunWork, hasStarted: Bool)? {
    guard let work = state.machine.claim() else { return nil }
    guard !record.hasListeners, state.progress == nil else { return (work, false) }
    switch work {
    case .step(let step):
      if case .closure = blueprint.steps[step].kind {
        record.append(.started, source: FlowEvent.Source(blueprint.steps[step].name), at: date)
      }
    case .item(_, let index):
      if state.group?.step.runsClosure == true {
        let name = state.group?.step.itemName ?? ""
        record.append(.started, source: FlowEvent.Source(name, item: index), at: date)
      }
    case .choose, .enter, .leave, .plan, .pull, .collect, .finish: break
    }
    return (work, true)
  }

  /// Claims and performs work until there is none, or until a piece of it ends elsewhere.
  private func runLane() {
    let now = Date()
    var next = state.withLock { state -> Claim? in
      state.pendingLaneCount -= 1
      return recorder.write { record in
        let claimed = claim(&state, &record, at: now)
        return claimed.map { Claim(work: $0, slot: state.slots.insert($0), hasStarted: $1) }
      }
    }
    while let claim = next { next = perform(claim) }
  }

  /// Has a lane that is counted as pending come back after a millisecond, and holds no thread meanwhile.
  func addRestedLane() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.addLanes(1) }
  }

  /// Gives the queue an operation that can't be started directly, because it has dependencies.
  func enqueue(_ operation: Operation) {
    queue.addOperation(operation)
  }

  var source: FlowEvent.Source { FlowEvent.Source(flowName) }
}
