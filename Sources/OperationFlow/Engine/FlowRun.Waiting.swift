import Foundation

extension FlowRun {
  /// A step, or an item of a group, that has begun and has not ended.
  public struct Waiting: Sendable, CustomStringConvertible {
    /// The reason why a run waits for a step or an item.
    ///
    /// Later versions may add cases, so a `switch` over them needs a `default`.
    public enum Reason: Sendable, Hashable {
      /// The work has to end: with a finish, a return, or an error.
      case work
      /// The operations that this one depends on have not finished.
      case dependencies
      /// A ``FlowLimiter`` has no permit for it yet.
      case limit
      /// Earlier settlements have to be safe in the run's journal.
      case journal
      /// The journal of a durable run has to be read, and the run has to be restored from it.
      case opening
      /// The next element of a group's sequence has not arrived.
      case nextItem
      /// The item has ended, and its result has to be handled by ``StepTrait/onEachResult(in:_:)``.
      case result
      /// The delay before the next attempt has to pass.
      case nextAttempt
      /// A step waits for this date.
      case date(Date)
      /// A step waits for the signal with this name; if there is a date, only until then.
      case signal(String, until: Date?)
    }

    /// The name of the step or item, as in the record: `[UploadOp #3]`.
    public internal(set) var source: FlowEvent.Source
    /// The path of the step in the flow.
    public internal(set) var path: FlowPath?
    /// The index of the group's item, counted from 0; `nil` outside groups.
    public var item: Int? { source.item }
    /// The number of the attempt, counted from 1.
    public var attempt: Int { source.attempt }
    /// The time when the run reached it; after it had to wait for a ``FlowLimiter``, the time when it began.
    public let since: Date
    /// The time on a clock that no one sets.
    let time: Date
    /// The reason why the run waits for it.
    public internal(set) var reason: Reason
    /// True if an operation has called ``FlowOperation/startWithAsynchronous()``, so that it has to finish by itself.
    public let endsLater: Bool
    /// True if the run or a time limit has cancelled the work, which has not ended since.
    public let isCancelled: Bool
    /// The names of the operations that it waits for, if the reason is ``FlowRun/Waiting/Reason/dependencies``.
    public internal(set) var dependencies: [String]
    /// The limiter without a permit, for ``FlowRun/Waiting/Reason/limit``, such as `FlowLimiter(atMost: 4)`.
    public internal(set) var limiter: String?
    /// The abandoned work that still runs and has permits of that limiter, such as `[upload #3] of Backup`.
    public internal(set) var keptBy: [String] = []

    /// A text such as `[UploadOp #3] since 2026-11-21 10:00:00 +0000`.
    public var description: String { "\(source) since \(since)" }

    /// Returns a sentence about it; `now` is the run's `time`.
    package func text(at now: Date) -> String {
      let place = path.map { LineText.escaped($0.description) } ?? source.description
      let who = place + (item.map { ", item \($0.itemNumber)" } ?? "") + (attempt > 1 ? ", attempt \(attempt)" : "")
      let what =
        switch reason {
        case .work where isCancelled: "was cancelled, and hasn't ended"
        case .work where endsLater: "is asynchronous and hasn't finished"
        case .work: "runs"
        case .dependencies:
          "waits for operations that it depends on" + (dependencies.isEmpty ? "" : ": " + Self.listed(dependencies))
        case .limit:
          "waits for a permit of \(limiter ?? "a limiter")"
            + (keptBy.isEmpty ? "" : ", kept by abandoned work: " + Self.listed(keptBy))
        case .journal: "waits for the run's journal"
        case .opening: "reads the run's journal"
        case .nextItem: "waits for the next element of its sequence"
        case .result: "has ended, and its result is being handled"
        case .nextAttempt: "waits before its next attempt"
        case .date(let date): "waits until \(date.ISO8601Format())"
        case .signal(let name, nil): "waits for the signal \(LineText.escaped(name))"
        case .signal(let name, let date?):
          "waits for the signal \(LineText.escaped(name)) until \(date.ISO8601Format())"
        }
      return "\(who) \(what), for \(DurationText.of(.seconds(max(0, now.timeIntervalSince(time)))))"
    }

    private static func listed(_ all: [String]) -> String {
      let names = all.prefix(5).map(LineText.escaped).joined(separator: ", ")
      return names + (all.count > 5 ? " and \(all.count - 5) more" : "")
    }

    init(
      _ engine: RunEngine, _ claim: Claim, _ cancellable: Cancellable, _ known: Reason?, since time: Date,
      isCancelled: Bool = false, for limiter: FlowLimiter?
    ) {
      let operation = cancellable.operation
      source = engine.source(of: claim, cancellable)
      let log = engine.recorder.log
      path = claim.work.step.flatMap { (log.shownPaths ?? engine.paths).path(of: $0) }
      self.time = time
      since = log.shifts.date(of: time)
      endsLater = operation?.withLifecycle { $0.isAsynchronous } ?? false
      self.isCancelled = isCancelled
      let awaited = if case .waiting(let operation, _) = cancellable { operation.dependencies } else { [Operation]() }
      dependencies = awaited.filter { !$0.isFinished }.map { $0.name ?? TypeName.of(type(of: $0)) }
      reason = known ?? (operation as? any WaitingOperation)?.reason ?? .work
      self.limiter = limiter?.description
      keptBy = limiter?.state.withLock { $0.keepers } ?? []
    }

    /// Creates the entry of a run whose journal is read.
    init(_ opening: RunOpening) {
      source = FlowEvent.Source(opening.flowName)
      since = opening.began.date
      time = opening.began.time
      endsLater = false
      isCancelled = false
      dependencies = []
      reason = .opening
    }

    /// Returns a copy with every secret replaced in its names and its path.
    func scrubbing(_ secrets: SecretTexts) -> Waiting {
      if secrets.isEmpty { return self }
      var waiting = self
      waiting.source.name = secrets.scrubbing(source.name)
      waiting.path = path?.scrubbing(secrets)
      waiting.dependencies = dependencies.map(secrets.scrubbing)
      waiting.keptBy = keptBy.map(secrets.scrubbing)
      if case .signal(let name, let date) = reason { waiting.reason = .signal(secrets.scrubbing(name), until: date) }
      return waiting
    }
  }
}

extension Blueprint {
  /// Returns the name for events of a piece of work that has no name of its own.
  package func name(of work: RunWork) -> String {
    guard let id = work.step else { return "" }
    let step = steps[id]
    if work.item != nil, case .group(let group) = step.kind { return group.itemName }
    return step.name
  }
}

/// An operation that only waits for something outside its run, such as a date or a signal.
///
/// It uses no thread and no task meanwhile.
package protocol WaitingOperation: FlowOperation {
  var reason: FlowRun.Waiting.Reason { get }
}

extension FlowOperation {
  /// The engine and the source of the operation; `nil` unless the operation runs in a flow.
  package final var place: (engine: RunEngine, source: FlowEvent.Source)? {
    guard let context, let engine = context.host as? RunEngine else { return nil }
    return (engine, context.source)
  }

  /// Returns the operation's name in a run; `nil` once it has left the run.
  final func source(in host: RunEngine) -> FlowEvent.Source? { context.flatMap { $0.host === host ? $0.source : nil } }
}
