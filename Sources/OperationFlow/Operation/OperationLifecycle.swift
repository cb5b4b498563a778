import Foundation

/// The life of one operation as a plain state machine: it uses no locks, and each input returns the action to perform.
///
/// An operation ends once, when its result is decided and its `mainLogic()` has returned, in either order.
struct OperationLifecycle: ~Copyable, Sendable {
  enum Phase: Sendable {
    /// No run has reserved the operation yet.
    case idle
    /// A run has reserved the operation; no other run may.
    case claimed
    /// The operation's start is reported, and its declared inputs are read; its work has not begun.
    case preparing
    /// `mainLogic()` runs.
    case running
    /// `mainLogic()` has returned, and `run()` does the work in a task.
    case runningTask
    /// `mainLogic()` has returned; the operation will be finished later, from elsewhere.
    case waiting
    case settled
  }

  /// The source of `isExecuting` and `isFinished` on platforms that notify observers before a change.
  enum Shown: Sendable { case ready, executing, finished }

  private(set) var phase = Phase.idle
  /// The phase that observers see, which follows `phase` after they were notified; unused if none can observe.
  var shown = Shown.ready
  /// The result, set by the first decision; final once `phase` is `settled`.
  private(set) var settlement: Settlement?
  var isAsynchronous = false
  private var isCancelled = false
  /// True if `run()` does the work, because `mainLogic()` isn't overridden or calls `super`.
  var wantsRun = false
  /// The object that awaits `run()`; set once its task has been created.
  private var awaiting: (any RunAwaiting)?
  /// The operation's run; `nil` after the operation has ended.
  private(set) var host: (any OperationHost)?
  private var ticket: WorkTicket?
  /// The operation's name in its run, also after its end.
  private(set) var source: FlowEvent.Source?
  /// The identity of the run, for late calls after the operation's end.
  private(set) var pastRun: RunIdentity?
  var hasDependencies = false
  var scope: ItemScope?
  private var ports: DeclaredPorts?

  /// The names that the operation itself has written; recorded only if it declares ports.
  private(set) var writtenNames: Set<String> = []
  /// The run's bucket while the run calls `cancel()`, which may read from it although the operation has ended.
  private var bucketInCancel: DataBucket?
  /// A weak reference to the operation, if it may be freed while it waits; its target is `nil` once that happens.
  private var reference: WeakOperation?
  private var knownIdentifier: String?

  mutating func recordWrite(_ name: String) {
    if ports != nil { writtenNames.insert(name) }
  }

  var identifier: String { mutating get { knownIdentifier.orNew(UUID().uuidString) } }

  /// The connection to the run; `nil` after the operation has ended.
  var context: FlowContext? {
    guard let host, let ticket, let source else { return nil }
    return FlowContext(host: host, source: source, ticket: ticket, declared: nil)
  }
  /// The recorder and the name for the operation's log lines; `nil` after the operation has ended.
  var logPlace: (recorder: Recorder, source: FlowEvent.Source)? {
    guard let host, let source else { return nil }
    return (host.recorder, source)
  }
  /// The bucket for values that aren't the operation's own.
  var bucket: DataBucket? { host?.bucket ?? bucketInCancel }

  /// Reserves the operation for one run; returns false if it is reserved, runs, or has run.
  mutating func claim() -> Bool {
    guard phase == .idle else { return false }
    phase = .claimed
    return true
  }

  /// Connects the operation to its run, which may have reserved it before; returns false if another run has it.
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

  /// Begins the operation unless its result is decided already, or it has been started before.
  ///
  /// `ports` is `nil` if there are none to read. An operation that `isMarked` is cancelled, even if ``cancel()`` is yet
  /// to be called.
  mutating func begin(reading ports: DeclaredPorts?, isMarked: Bool = false) -> Beginning {
    guard phase == .idle || phase == .claimed else { return .ignore }
    self.ports = ports
    if isCancelled || isMarked { return .settle(settle(.cancelled)) }
    if let settlement { return .settle(end(settlement)) }
    phase = .preparing
    return .run
  }

  /// Begins the work; returns false if the operation has ended or was cancelled since it was started.
  mutating func beginWork() -> Bool {
    guard phase == .preparing, !isCancelled, settlement == nil else { return false }
    phase = .running
    return true
  }

  struct Ending: Sendable {
    let settlement: Settlement
    let hasDependencies: Bool
    fileprivate let reference: WeakOperation?
    /// The outputs of a success that are still to be written, to the run that ``takeContext()`` returns.
    let outputs: [PortProperty]
    /// True if the operation is being freed, and must not be passed to code that would retain it.
    var isOfFreed: Bool { reference.map { $0.operation == nil } ?? false }
  }

  /// An end outside the call that started the operation, with the run to inform.
  typealias LateEnding = (Ending, FlowContext?)

  indirect enum Decision {
    // Indirect, because decisions are moved often, and most of them have no values.
    case settle(LateEnding)
    case cancelRun(any RunAwaiting, WorkTicket?)
    /// Nothing happens now: the operation has ended, or ends when `mainLogic()` or `run()` returns.
    case later
    /// The result was decided before; the host records the second one.
    case repeated
  }

  mutating func decide(_ settlement: Settlement) -> Decision {
    guard self.settlement == nil else {
      // An override of `cancel()` may finish the operation; if it has ended by then, its run has ended it.
      return bucketInCancel == nil ? .repeated : .later
    }
    if phase == .waiting { return .settle(settleLate(settlement)) }
    self.settlement = settlement
    return .later
  }

  enum Returned { case settle(Ending), runs, waits, waitsUndeclared }

  /// Decides the next step after `mainLogic()` has returned.
  ///
  /// If the operation waits undeclared, or outside a run, it may be freed while it waits.
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

  /// Stores the object that awaits `run()`; returns true if it has to be cancelled immediately.
  mutating func keepRun(_ awaiting: any RunAwaiting) -> Bool {
    guard phase == .runningTask else { return false }
    self.awaiting = awaiting
    return isCancelled
  }

  /// Ends an operation whose `run()` has returned or thrown, unless the operation has ended before.
  mutating func runReturned(_ settlement: Settlement) -> LateEnding? {
    guard phase == .runningTask else { return nil }
    return settleLate(self.settlement ?? (isCancelled && !settlement.isSuccess ? .cancelled : settlement))
  }

  /// Cancels the operation: if it waits, it ends immediately, otherwise when `mainLogic()` or `run()` returns.
  mutating func cancel() -> Decision {
    isCancelled = true
    if phase == .waiting { return .settle(settleLate(.cancelled)) }
    return awaiting.map { .cancelRun($0, ticket) } ?? .later
  }

  /// Cancels the operation for its run; `isAtWork` is true if `cancel()` has to be called, and then `cancelReturned()`.
  mutating func stop() -> (isAtWork: Bool, Decision) {
    let isAtWork = phase == .running || phase == .runningTask || phase == .waiting
    if isAtWork { bucketInCancel = host?.bucket }
    return (isAtWork, cancel())
  }

  /// Removes and returns the bucket, to be freed outside the lock.
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

  /// Removes and returns the connection to the run of an operation that has ended, and has its outputs to write.
  mutating func takeContext() -> FlowContext? {
    defer { host = nil }
    return context
  }
}
