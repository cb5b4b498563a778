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
    /// Made when somebody first asks for it.
    var progress: RunProgress?
    var itemFailures: [FlowItemFailure] = []
    var beganAt: ContinuousClock.Instant?
    /// The run itself while it is paused: nothing of it is at work then that would hold it.
    var pausedRun: FlowRun?
    var outcome: FlowOutcome?
    var waiters: [CheckedContinuation<FlowOutcome, Never>] = []
    /// Called at the end, on the main actor; it holds the flow, so it goes when the run ends.
    var didFinish: (@MainActor @Sendable () -> Void)?
  }

  let flowName: String
  let blueprint: Blueprint
  let bucket: DataBucket
  let recorder: Recorder
  let state: Locked<State>
  /// Why it runs nothing; the blueprint's operations are not its own then.
  let refusal: FlowError?
  let tasks = TaskSpawner()
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

  /// A piece of work that a lane has claimed, with what it needs of the run's state.
  struct Claim: Sendable {
    let work: RunWork
    let slot: Int
    let group: GroupStep?
    let item: (any Sendable)?
    let isSensitive: Bool
  }

  /// What a lane does next.
  enum LaneStep: Sendable {
    case perform(Claim)
    /// Nothing: there is no work, or its own settles elsewhere.
    case leave
  }

  func claim(_ state: inout State) -> LaneStep {
    guard let work = state.machine.claim() else { return .leave }
    let slot = state.slots.insert(RunSlots.Slot(work: work))
    guard case .item(_, let index) = work, let group = state.group else {
      return .perform(Claim(work: work, slot: slot, group: nil, item: nil, isSensitive: false))
    }
    return .perform(
      Claim(work: work, slot: slot, group: group.step, item: group.item(at: index), isSensitive: group.isSensitive))
  }

  /// Claims and performs work until there is none, or until a piece of it ends elsewhere.
  private func runLane() {
    var step = state.withLock { state in
      state.pendingLaneCount -= 1
      return claim(&state)
    }
    while case .perform(let claim) = step { step = perform(claim) }
  }

  /// Gives the queue an operation that can't be started directly, because it has dependencies.
  func enqueue(_ operation: Operation) {
    queue.addOperation(operation)
  }

  var source: FlowEvent.Source { FlowEvent.Source(flowName) }
}
