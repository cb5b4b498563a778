import Foundation

/// Writes down what happens in a run, and tells observers and subscribers of it.
///
/// Observers are called outside all locks, one event after the other in the record's order, whichever threads append.
final class Recorder: Sendable {
  typealias Observer = @Sendable (FlowEvent) -> Void

  /// The record, while its lock is held.
  struct Record: Sendable {
    fileprivate(set) var log: EventLog
    fileprivate var listeners: [EventListener]
    /// What the listeners have not been told of; empty where nobody listens.
    fileprivate var pending: [RecordedEvent] = []
    /// How many events there have been.
    fileprivate var count = 0
    fileprivate let paths: PathTable?
    fileprivate var isDelivering = false
    fileprivate var isSealed = false
    fileprivate var hasEnded = false
    /// Called once, when the last event has been delivered.
    fileprivate var whenComplete: (@Sendable () -> Void)?
    fileprivate var lastSubscriber = 0
    fileprivate var lastDate = Date.distantPast

    /// Appends an event; nothing is recorded any more once the run has ended.
    mutating func append(_ kind: FlowEvent.Kind, source: FlowEvent.Source, at date: Date) {
      guard !isSealed else { return }
      // The time was taken before the lock, and another thread may have come in between: no record runs backwards.
      lastDate = max(lastDate, date)
      let event = RecordedEvent(date: lastDate, source: source, kind: kind, number: count)
      count += 1
      if !listeners.isEmpty { pending.append(event) }
      log.append(event)
    }

    /// Nothing more comes of a step, and no event says so.
    mutating func endStep(_ step: Int) { log.endStep(Int32(clamping: step)) }

    init(_ recording: FlowRecording, listeners: [EventListener], paths: PathTable?) {
      log = EventLog(recording, paths: paths)
      self.listeners = listeners
      self.paths = paths
    }

    /// Whether there is anybody to be told of events.
    var hasListeners: Bool { !listeners.isEmpty }

    /// Whether somebody is to be told by `deliver()`.
    var isWatched: Bool { !pending.isEmpty }
  }

  private let record: Locked<Record>
  /// For those that outlive the run, and must not keep its record.
  let reference = WeakRecorder()

  init(observers: [Observer] = [], recording: FlowRecording = .everything, paths: PathTable? = nil) {
    let listeners = observers.map { EventListener(from: 0, target: .observer($0)) }
    record = Locked(Record(recording, listeners: listeners, paths: paths))
    refer(by: reference)
  }

  var log: EventLog { record.withLock { $0.log } }
  var events: [FlowEvent] { log.events }

  // MARK: Writing

  /// Writes under the record's lock; what is written is told by `deliver()`, outside of all locks.
  @inline(__always)
  func write<Result>(_ body: (inout Record) -> Result) -> Result { record.withLock(body) }

  /// Appends and delivers.
  func record(_ kind: FlowEvent.Kind, source: FlowEvent.Source) {
    if append(kind, source: source) { deliver() }
  }

  /// Appends under a lock of somebody else's, so that the record has the order of what that lock guards.
  ///
  /// True where somebody is to be told by `deliver()`, once that lock is given back.
  @discardableResult
  func append(_ kind: FlowEvent.Kind, source: FlowEvent.Source) -> Bool {
    let now = Date()
    return write { record in
      record.append(kind, source: source, at: now)
      return record.isWatched
    }
  }

  /// Takes over what was recorded before the run.
  func append(contentsOf events: [RecordedEvent]) {
    write { record in
      for event in events { record.append(event.kind, source: event.source, at: event.date) }
    }
  }

  /// Hides the values of names that turn out to be sensitive in what has been recorded.
  func redact(_ names: Set<String>) {
    write { record in
      record.log.replaceAll { $0.redacting(names) }
      record.pending = record.pending.map { $0.redacting(names) }
    }
  }

  /// Hands out what has been recorded, and forgets it.
  func takeEvents() -> [RecordedEvent] {
    write { record in
      defer { record.log = EventLog() }
      return record.log.recorded
    }
  }

  /// Records the last event, and calls `whenComplete` when everybody has been told of it.
  func seal(
    with kind: FlowEvent.Kind, source: FlowEvent.Source, whenComplete: @escaping @Sendable () -> Void = {}
  ) {
    let now = Date()
    write { record in
      record.append(kind, source: source, at: now)
      record.whenComplete = whenComplete
      record.isSealed = true
    }
    deliver()
  }

  // MARK: Telling

  /// Tells observers and subscribers of what has been appended, outside all locks.
  func deliver() {
    // Whoever comes while another thread delivers leaves its events to that thread.
    var isMine = false
    while let delivery = write({ $0.nextDelivery(continuing: isMine) }) {
      switch delivery {
      case .events(let events, let listeners):
        isMine = true
        for event in events {
          for listener in listeners where listener.from <= event.number { listener.tell(event) }
        }
      case .end(let listeners, let whenComplete):
        for listener in listeners { listener.end() }
        whenComplete?()
        return
      }
    }
  }

  /// What is kept of the events so far, and a stream of those to come.
  func subscribe() -> (kept: [FlowEvent], live: AsyncStream<FlowEvent>) {
    let (stream, continuation) = AsyncStream.makeStream(of: FlowEvent.self)
    let (log, id) = write { $0.subscribe(continuation) }
    if let id {
      continuation.onTermination = { [weak self] _ in
        // Freed outside the lock.
        _ = self?.write { $0.unsubscribe(id) }
      }
    } else {
      continuation.finish()
    }
    return (log.events, stream)
  }
}

extension Recorder.Record {
  fileprivate enum Delivery: Sendable {
    case events([FlowEvent], [EventListener])
    case end([EventListener], (@Sendable () -> Void)?)
  }

  /// What is to be told next; `nil` where that is nothing, or another thread's to tell.
  fileprivate mutating func nextDelivery(continuing: Bool) -> Delivery? {
    guard continuing || !isDelivering else { return nil }
    isDelivering = !pending.isEmpty
    if isDelivering {
      defer { pending = [] }
      return .events(pending.map { FlowEvent($0, paths: paths) }, listeners)
    }
    guard isSealed, !hasEnded else { return nil }
    hasEnded = true
    defer { (listeners, whenComplete) = ([], nil) }
    return .end(listeners, whenComplete)
  }

  /// Adds a subscriber; `nil` where nothing more will come.
  fileprivate mutating func subscribe(_ continuation: AsyncStream<FlowEvent>.Continuation) -> (EventLog, id: Int?) {
    guard !hasEnded else { return (log, nil) }
    lastSubscriber += 1
    listeners.append(EventListener(from: count, target: .subscriber(id: lastSubscriber, continuation)))
    return (log, lastSubscriber)
  }

  fileprivate mutating func unsubscribe(_ id: Int) -> EventListener? {
    listeners.firstIndex { $0.isSubscriber(id) }.map { listeners.remove(at: $0) }
  }
}
