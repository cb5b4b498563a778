/// The life of one operation as a plain state machine: no locks, no calls; every input returns what to do.
///
/// An operation ends once, when two things have come in any order: somebody has decided how it ends, and its
/// `mainLogic()` has returned.
struct OperationLifecycle: Sendable {
  enum Phase: Sendable {
    /// Nobody has asked for it yet.
    case idle
    /// A run has taken it; nobody else may.
    case claimed
    /// `mainLogic()` runs.
    case running
    /// `mainLogic()` has returned; the end comes later, from elsewhere.
    case waiting
    case settled
  }

  private(set) var phase = Phase.idle
  /// How it ends, decided by the first who says so; final once `phase` is `settled`.
  private(set) var settlement: Settlement?
  private(set) var isAsynchronous = false
  private var isCancelled = false
  var attachment: OperationAttachment?
  /// What it was called in its run, kept past its end.
  var source: FlowEvent.Source?
  /// Where late lines go after its end, for as long as the record lives.
  private(set) weak var lateRecorder: Recorder?
  var scope: ItemScope?
  var identifier: String?

  /// Takes the operation for one run.
  ///
  /// False where it is taken, runs, or has run.
  mutating func claim() -> Bool {
    guard phase == .idle else { return false }
    phase = .claimed
    return true
  }

  /// Gives a claim back, where the run that made it does not begin.
  mutating func unclaim() {
    if phase == .claimed { phase = .idle }
  }

  /// Whether a start should run `mainLogic()`: not where the end is known already, nor for a second start.
  enum Beginning { case run(OperationAttachment?), settle(Ending), ignore }
  mutating func begin() -> Beginning {
    guard phase == .idle || phase == .claimed else { return .ignore }
    if isCancelled { return .settle(settle(.cancelled)) }
    if let settlement { return .settle(settle(settlement)) }
    phase = .running
    return .run(attachment)
  }

  /// What is to be told, and to whom, when the operation has just ended.
  struct Ending: Sendable {
    let settlement: Settlement
    let attachment: OperationAttachment?
  }

  /// Somebody says how it ends.
  enum Decision { case settle(Ending), later, ignore(Recorder?) }
  mutating func decide(_ settlement: Settlement) -> Decision {
    guard self.settlement == nil else { return .ignore(attachment?.recorder ?? lateRecorder) }
    switch phase {
    case .waiting: return .settle(settle(settlement))
    case .settled: return .ignore(lateRecorder)
    case .idle, .claimed, .running:
      self.settlement = settlement
      return .later
    }
  }

  mutating func startAsynchronously() {
    isAsynchronous = true
  }

  /// `mainLogic()` has returned: the operation ends now, waits for its asynchronous end, or waits though it never said so.
  enum Returned { case settle(Ending), waits, waitsUndeclared }
  mutating func mainLogicReturned() -> Returned {
    guard phase == .running else { return .waits }
    if let settlement { return .settle(settle(settlement)) }
    if isCancelled { return .settle(settle(.cancelled)) }
    phase = .waiting
    return isAsynchronous ? .waits : .waitsUndeclared
  }

  /// Cancelling ends an operation that waits at once; one that runs ends when its `mainLogic()` returns.
  mutating func cancel() -> Ending? {
    isCancelled = true
    return phase == .waiting ? settle(.cancelled) : nil
  }

  /// The last reference is gone: nobody can finish it any more.
  mutating func abandon(_ error: FlowError) -> Ending? {
    phase == .waiting ? settle(.failed(error)) : nil
  }

  private mutating func settle(_ settlement: Settlement) -> Ending {
    phase = .settled
    self.settlement = settlement
    let ending = Ending(settlement: settlement, attachment: attachment)
    lateRecorder = attachment?.recorder
    attachment = nil
    return ending
  }
}
