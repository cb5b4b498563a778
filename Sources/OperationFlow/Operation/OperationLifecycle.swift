import Foundation

/// The life of one operation as a plain state machine: no locks, no calls; every input returns what to do.
///
/// An operation ends once, when its result has been decided and its `mainLogic()` has returned, in any order.
struct OperationLifecycle: ~Copyable, Sendable {
  enum Phase: Sendable {
    /// No run has asked for it yet.
    case idle
    /// A run has reserved it; no other run may.
    case claimed
    /// Its start is reported, and its declared inputs are read; its work has not begun.
    case preparing
    /// `mainLogic()` runs.
    case running
    /// `mainLogic()` has returned, and `run()` does the work in a task.
    case runningTask
    /// `mainLogic()` has returned; the operation will be finished later, from elsewhere.
    case waiting
    case settled
  }

  /// What `isExecuting` and `isFinished` return if observers are told before a change.
  enum Shown: Sendable { case ready, executing, finished }

  private(set) var phase = Phase.idle
  /// Follows the phase as soon as observers have been told that it will; used only where they are.
  var shown = Shown.ready
  /// The result, set by the first decision; final once `phase` is `settled`.
  private(set) var settlement: Settlement?
  var isAsynchronous = false
  private var isCancelled = false
  /// Whether `run()` does the work, because `mainLogic()` isn't overridden or calls `super`.
  var wantsRun = false
  /// What awaits `run()`; set once its task has been created.
  private var awaiting: (any RunAwaiting)?
  /// Its run, until it ends.
  private(set) var host: (any OperationHost)?
  private var ticket: WorkTicket?
  /// Its name in its run, also after its end.
  private(set) var source: FlowEvent.Source?
  /// Its run, for late calls after its end.
  private(set) var pastRun: RunIdentity?
  var hasDependencies = false
  var scope: ItemScope?
  private var ports: DeclaredPorts?

  /// The names that it has written itself; recorded if it declares any ports.
  private(set) var writtenNames: Set<String> = []
  /// The bucket of its run during the run's call of `cancel()`, which may read although the operation has ended.
  private var bucketInCancel: DataBucket?
  /// The operation itself, if it may be freed while it waits; it finds nothing once that happens.
  private var reference: WeakOperation?
  private var knownIdentifier: String?

  mutating func recordWrite(_ name: String) {
    if ports != nil { writtenNames.insert(name) }
  }

  var identifier: String { mutating get { knownIdentifier.orNew(UUID().uuidString) } }

  /// Its connection to its run, until it ends.
  var context: FlowContext? {
    guard let host, let ticket, let source else { return nil }
    return FlowContext(host: host, source: source, ticket: ticket, declared: nil)
  }
  /// Where its lines are recorded, until it ends, and the name under which they are.
  var logPlace: (recorder: Recorder, source: FlowEvent.Source)? {
    guard let host, let source else { return nil }
    return (host.recorder, source)
  }
  /// Where it reads values that aren't its own.
  var bucket: DataBucket? { host?.bucket ?? bucketInCancel }

  /// Reserves the operation for one run; false if it is reserved, runs, or has run.
  mutating func claim() -> Bool {
    guard phase == .idle else { return false }
    phase = .claimed
    return true
  }

  /// Connects the operation to its run, which may have reserved it before; false if another run has it.
  mutating func attach(
    _ host: any OperationHost, _ ticket: WorkTicket, _ source: FlowEvent.Source, scope: consuming ItemScope?,
    isReserved: Bool
  ) -> Bool {
    guard phase == (isReserved ? .claimed : .idle) else { return false }
    phase = .claimed
    self.host = host
    self.ticket = ticket
    self.source = source
    self.scope = scope
    return true
  }

  mutating func unclaim() {
    if phase == .claimed { phase = .idle }
  }

  enum Beginning { case run, settle(Ending), ignore }

  /// Whether a start should run `mainLogic()`: not if the result is already decided, and not for a second start.
  ///
  /// `ports` is `nil` if there are none to read. One that `isMarked` was cancelled, even before ``cancel()`` comes.
  mutating func begin(reading ports: DeclaredPorts?, isMarked: Bool = false) -> Beginning {
    guard phase == .idle || phase == .claimed else { return .ignore }
    self.ports = ports
    if isCancelled || isMarked { return .settle(settle(.cancelled)) }
    if let settlement { return .settle(end(settlement)) }
    phase = .preparing
    return .run
  }

  /// Its work begins; false if it has ended or was cancelled since it was started, so that its work must not begin.
  mutating func beginWork() -> Bool {
    guard phase == .preparing, !isCancelled, settlement == nil else { return false }
    phase = .running
    return true
  }

  struct Ending: Sendable {
    let settlement: Settlement
    let hasDependencies: Bool
    fileprivate let reference: WeakOperation?
    /// The outputs that a success still has to write, to the run that ``takeContext()`` returns.
    let outputs: [PortProperty]
    /// Whether the operation is being freed, and must not be passed to anything that would retain it.
    var isOfFreed: Bool { reference.map { $0.operation == nil } ?? false }
  }

  /// An end outside the call that started the operation, with the run to inform.
  typealias LateEnding = (Ending, FlowContext?)

  indirect enum Decision {
    // Values are behind a reference, because a decision is nearly always another one, and moved a lot.
    case settle(LateEnding)
    case cancelRun(any RunAwaiting, WorkTicket?)
    /// Nothing happens now: it has ended, or ends when `mainLogic()` or `run()` returns.
    case later
    /// It has been decided before, which is reported unless the run itself has ended it.
    case repeated
  }

  mutating func decide(_ settlement: Settlement) -> Decision {
    guard self.settlement == nil else {
      // An override of `cancel()` may finish; if the operation has ended by then, it was the run that ended it.
      return bucketInCancel == nil ? .repeated : .later
    }
    if phase == .waiting { return .settle(settleLate(settlement)) }
    self.settlement = settlement
    return .later
  }

  enum Returned { case settle(Ending), runs, waits, waitsUndeclared }

  /// `mainLogic()` has returned; if it waits undeclared, or in no run, the operation may be freed meanwhile.
  mutating func mainLogicReturned(of operation: FlowOperation?) -> Returned {
    guard phase == .running || phase == .preparing else { return .waits }
    if let settlement { return .settle(end(settlement)) }
    if isCancelled { return .settle(settle(.cancelled)) }
    if wantsRun && !isAsynchronous {
      phase = .runningTask
      return .runs
    }
    phase = .waiting
    if isAsynchronous, host != nil { return .waits }
    reference = operation.map(WeakOperation.init)
    return isAsynchronous ? .waits : .waitsUndeclared
  }

  /// The task of `run()` has been created; true if it has to be cancelled immediately.
  mutating func keepRun(_ awaiting: any RunAwaiting) -> Bool {
    guard phase == .runningTask else { return false }
    self.awaiting = awaiting
    return isCancelled
  }

  /// `run()` has returned or thrown: the operation ends, unless it was finished before.
  mutating func runReturned(_ settlement: Settlement) -> LateEnding? {
    guard phase == .runningTask else { return nil }
    return settleLate(self.settlement ?? (isCancelled && !settlement.isSuccess ? .cancelled : settlement))
  }

  /// Cancels the operation: one that waits ends immediately, others when `mainLogic()` or `run()` returns.
  mutating func cancel() -> Decision {
    isCancelled = true
    if phase == .waiting { return .settle(settleLate(.cancelled)) }
    return awaiting.map { .cancelRun($0, ticket) } ?? .later
  }

  /// Its run cancels it; true if its work had begun, so that `cancel()` has to be called, and then `cancelReturned()`.
  mutating func stop() -> (isAtWork: Bool, Decision) {
    let isAtWork = phase == .running || phase == .runningTask || phase == .waiting
    if isAtWork { bucketInCancel = host?.bucket }
    return (isAtWork, cancel())
  }

  /// Returns the bucket, to be freed outside the lock.
  mutating func cancelReturned() -> DataBucket? { bucketInCancel.take() }

  private mutating func settleLate(_ settlement: Settlement) -> LateEnding {
    let context = context
    return (settle(settlement), context)
  }

  private mutating func settle(_ settlement: Settlement) -> Ending {
    self.settlement = settlement
    return end(settlement)
  }

  private mutating func end(_ settlement: Settlement) -> Ending {
    phase = .settled
    awaiting = nil
    var outputs: [PortProperty] = []
    if case .succeeded = settlement, let ports { outputs = ports.outputs }
    if let host { pastRun = host.recorder.identity }
    if outputs.isEmpty { host = nil }
    return Ending(
      settlement: settlement, hasDependencies: hasDependencies, reference: reference.take(), outputs: outputs)
  }

  /// Its connection to its run, which it gives up: it has ended, and only writes its outputs.
  mutating func takeContext() -> FlowContext? {
    defer { host = nil }
    return context
  }
}
