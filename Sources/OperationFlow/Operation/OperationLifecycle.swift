/// The life of one operation as a plain state machine: no locks, no calls; every input returns what to do.
///
/// An operation ends once, when two things have come in any order: it has been decided how it ends, and its
/// `mainLogic()` has returned.
struct OperationLifecycle: Sendable {
  enum Phase: Sendable {
    /// No run has asked for it yet.
    case idle
    /// A run has taken it; no other may.
    case claimed
    /// What it declares is read; nothing of its work has begun.
    case preparing
    /// `mainLogic()` runs.
    case running
    /// `mainLogic()` has returned, and `run()` does the work in a task.
    case runningTask
    /// `mainLogic()` has returned; the end comes later, from elsewhere.
    case waiting
    case settled
  }

  private(set) var phase = Phase.idle
  /// How it ends, decided by the first who says so; final once `phase` is `settled`.
  private(set) var settlement: Settlement?
  private(set) var isAsynchronous = false
  private var isCancelled = false
  /// Whether `run()` does the work, because `mainLogic()` is not overridden, or calls `super`.
  private var wantsRun = false
  /// The task of `run()`, once it is made.
  private var task: Task<Void, Never>?
  private(set) var attachment: OperationAttachment?
  /// What is known of its run past its end, for what comes late: its name there, and the record, which is not kept.
  private var past: (source: FlowEvent.Source, recorder: WeakRecorder)?
  /// Its run's bucket, while its run calls its `cancel()`, which may read although the operation has ended.
  private var bucketInCancel: DataBucket?
  /// The operation itself, where it may be freed while it waits: finds nothing from that moment on.
  private var reference: WeakOperation?
  /// Whether it has ever been given a dependency.
  private(set) var hasDependencies = false
  /// The values of its own, if it has any.
  var scope: ItemScope? {
    didSet { hasScope = scope != nil }
  }
  /// Kept, because the question is asked at every read, and looking at the values copies them.
  private(set) var hasScope = false
  /// What it declares, once that has been looked for.
  var ports: DeclaredPorts?
  /// The names that it has written itself; kept if it declares something.
  private(set) var writtenNames: Set<String> = []
  var identifier: String?

  mutating func noteWrite(_ name: String) {
    if ports != nil { writtenNames.insert(name) }
  }

  /// What it is called in its run.
  var source: FlowEvent.Source? { attachment?.source ?? past?.source }
  /// Its run's record.
  var recorder: Recorder? { attachment?.host.recorder ?? past?.recorder.recorder }
  /// Where it reads what is not its own.
  var bucket: DataBucket? { attachment?.host.bucket ?? bucketInCancel }
  /// Whether its work has begun and it has not ended: what `cancel()` may want to read is there then.
  var isAtWork: Bool {
    switch phase {
    case .running, .runningTask, .waiting: true
    case .idle, .claimed, .preparing, .settled: false
    }
  }

  /// Takes the operation for one run.
  ///
  /// False if it is taken, runs, or has run.
  mutating func claim() -> Bool {
    guard phase == .idle else { return false }
    phase = .claimed
    return true
  }

  /// Joins the operation to its run, before it starts.
  ///
  /// False if another run has it: `isReserved` says that this run has claimed it before.
  mutating func attach(_ attachment: OperationAttachment, scope: ItemScope?, isReserved: Bool) -> Bool {
    guard phase == (isReserved ? .claimed : .idle) else { return false }
    phase = .claimed
    self.attachment = attachment
    self.scope = scope
    return true
  }

  /// Gives a claim back, if the run that made it does not begin.
  mutating func unclaim() {
    if phase == .claimed { phase = .idle }
  }

  /// Whether a start should run `mainLogic()`: not if the end is known already, nor for a second start.
  enum Beginning { case run, settle(Ending), ignore }
  mutating func begin(readsInputs: Bool = false) -> Beginning {
    guard phase == .idle || phase == .claimed else { return .ignore }
    if isCancelled { return .settle(settle(.cancelled)) }
    if let settlement { return .settle(settle(settlement)) }
    phase = readsInputs ? .preparing : .running
    return .run
  }

  /// What it declares has been read; false if it has ended or was cancelled meanwhile, and its work must not begin.
  mutating func beginWork() -> Bool {
    guard phase == .preparing, !isCancelled, settlement == nil else { return false }
    phase = .running
    return true
  }

  mutating func noteDependency() { hasDependencies = true }

  /// What is to be told when the operation has just ended.
  struct Ending: Sendable {
    let settlement: Settlement
    /// What a success has still to write, and to which bucket.
    let outputs: (ports: [any DeclaredOutput], attachment: OperationAttachment?)?
    /// Whether it may still depend on others.
    let hasDependencies: Bool
    fileprivate let reference: WeakOperation?
    /// Whether the operation is being freed, and must not be handed to anyone who would keep it.
    var isOfFreed: Bool { reference.map { $0.operation == nil } ?? false }
  }

  /// An end that comes outside the call which started the operation, with whom to tell.
  typealias LateEnding = (Ending, OperationAttachment?)

  /// Decides how it ends.
  enum Decision { case settle(LateEnding), later, ignore(Recorder?) }
  mutating func decide(_ settlement: Settlement) -> Decision {
    guard self.settlement == nil else {
      // An override of `cancel()` may finish; that the operation has ended by then is the run's doing.
      return .ignore(bucketInCancel == nil ? recorder : nil)
    }
    switch phase {
    case .waiting: return .settle(settleLate(settlement))
    case .settled: return .ignore(recorder)
    case .idle, .claimed, .preparing, .running, .runningTask:
      self.settlement = settlement
      return .later
    }
  }

  mutating func startAsynchronously() {
    isAsynchronous = true
  }

  mutating func requestRun() {
    wantsRun = true
  }

  /// `mainLogic()` has returned: the operation ends now, goes on in `run()`, or waits for its asynchronous end, whether
  /// or not it has said so.
  enum Returned { case settle(Ending), runs, waits, waitsAlone, waitsUndeclared }
  mutating func mainLogicReturned() -> Returned {
    guard phase == .running || phase == .preparing else { return .waits }
    if let settlement { return .settle(settle(settlement)) }
    if isCancelled { return .settle(settle(.cancelled)) }
    if wantsRun && !isAsynchronous {
      phase = .runningTask
      return .runs
    }
    phase = .waiting
    guard isAsynchronous else { return .waitsUndeclared }
    return attachment == nil ? .waitsAlone : .waits
  }

  /// Nothing of the library holds it while it waits, so that it may be freed.
  mutating func keep(_ reference: WeakOperation) {
    if phase == .waiting { self.reference = reference }
  }

  /// The task of `run()` has been made; true if it is to be cancelled at once.
  mutating func keep(_ task: Task<Void, Never>) -> Bool {
    guard phase == .runningTask else { return false }
    self.task = task
    return isCancelled
  }

  /// `run()` has returned or thrown: that is the end, unless a finish was called in it.
  mutating func runReturned(_ settlement: Settlement) -> LateEnding? {
    guard phase == .runningTask else { return nil }
    return settleLate(self.settlement ?? (isCancelled && settlement.error != nil ? .cancelled : settlement))
  }

  /// What is to be done when the operation is cancelled.
  enum Cancellation { case none, settle(LateEnding), cancel(Task<Void, Never>) }

  /// Cancelling ends an operation that waits at once.
  ///
  /// One that runs ends when its `mainLogic()` or `run()` returns.
  mutating func cancel() -> Cancellation {
    isCancelled = true
    if phase == .waiting { return .settle(settleLate(.cancelled)) }
    return task.map(Cancellation.cancel) ?? .none
  }

  /// Its run cancels it; true if its work had begun, so that its `cancel()` is to be called, up to `cancelReturned()`.
  mutating func stop() -> (isAtWork: Bool, Cancellation) {
    let isAtWork = isAtWork
    if isAtWork { bucketInCancel = attachment?.host.bucket }
    return (isAtWork, cancel())
  }

  /// What it hands out is to be freed outside the lock.
  mutating func cancelReturned() -> DataBucket? { bucketInCancel.take() }

  /// The last reference is gone: nothing can finish it any more.
  mutating func abandon(_ error: FlowError) -> LateEnding? {
    phase == .waiting ? settleLate(.failed(error)) : nil
  }

  private mutating func settleLate(_ settlement: Settlement) -> LateEnding {
    let attachment = attachment
    return (settle(settlement), attachment)
  }

  private mutating func settle(_ settlement: Settlement) -> Ending {
    phase = .settled
    self.settlement = settlement
    task = nil
    let reference = reference.take()
    // Taken and not copied, for a copy counts references to the run, which all lanes share.
    let attachment = attachment.take()
    if let attachment { past = (attachment.source, attachment.host.recorder.reference) }
    guard case .succeeded = settlement, let outputs = ports?.outputs, !outputs.isEmpty else {
      return Ending(settlement: settlement, outputs: nil, hasDependencies: hasDependencies, reference: reference)
    }
    return Ending(
      settlement: settlement, outputs: (outputs, attachment), hasDependencies: hasDependencies, reference: reference)
  }
}
