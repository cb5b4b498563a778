import Foundation

/// Records the events of a run, and delivers them to observers and subscribers.
///
/// Observers are called outside all locks, one event at a time in the record's order, no matter which threads append.
package final class Recorder: Sendable, CustomReflectable {
  typealias Observer = @Sendable (FlowEvent) -> Void

  /// An observer or subscriber, which receives the events from a certain number on.
  fileprivate final class Listener: Sendable {
    let from: Int
    /// Called with each event, and with `nil` after the last one.
    let receive: @Sendable (FlowEvent?) -> Void

    init(from: Int = 0, _ receive: @escaping @Sendable (FlowEvent?) -> Void) {
      self.from = from
      self.receive = receive
    }
  }

  /// The record, accessible while its lock is held.
  struct Record: ~Copyable, Sendable {
    /// True if the record needs the texts of what steps do, even without listeners.
    fileprivate let keepsTexts: Bool
    fileprivate(set) var log: EventLog
    fileprivate var listeners: [Listener]
    /// The events that the listeners haven't received yet; empty if there are no listeners.
    fileprivate var pending: [RecordedEvent] = []
    fileprivate var count = 0
    fileprivate var isDelivering = false
    fileprivate var isSealed = false
    /// True if events are dropped: after the end of the run, and while it is restored.
    fileprivate(set) var dropsEvents = false
    /// The dropped events that count after the run was restored as well; `nil` while no run is restored.
    fileprivate var held: [(kind: RecordedKind, source: FlowEvent.Source)]?
    fileprivate var hasEnded = false
    /// Called once, when the last event has been delivered.
    fileprivate var whenComplete: @Sendable () -> Void = {}
    fileprivate(set) var lastTime = Date.distantPast
    /// The newest difference between dates and times in the log.
    fileprivate var shift = 0.0

    /// Appends an event, which the listeners will receive, unless events are dropped.
    mutating func append(_ kind: consuming RecordedKind, source: consuming FlowEvent.Source, at moment: RunMoment) {
      guard !dropsEvents else { return hold(kind, source) }
      // The time was read before the lock was acquired, and may be earlier than `lastTime`: a record never runs
      // backwards.
      lastTime = max(lastTime, moment.time)
      if ClockShifts.isShifted(moment, from: shift) { shift = log.recordShift(moment, from: lastTime) }
      let event = RecordedEvent(time: lastTime, source: source, recordedKind: kind, number: count)
      count += 1
      if !listeners.isEmpty { pending.append(event) }
      log.append(consume event)
    }

    private mutating func hold(_ kind: RecordedKind, _ source: FlowEvent.Source) {
      if held != nil, kind.outline.countsAfterResume { held?.append((kind, source)) }
    }

    /// Records that a step has ended, without an event of its own.
    mutating func endStep(_ step: Int) { log.endStep(Int32(clamping: step)) }

    fileprivate mutating func forgetLog() {
      log = log.emptied()
      shift = 0
    }

    /// True if anything needs the texts of what steps do; otherwise they aren't made.
    var wantsTexts: Bool { keepsTexts || !listeners.isEmpty }
    /// True if `deliver()` has any events to deliver.
    var isWatched: Bool { !pending.isEmpty }

    /// Returns the next delivery, with the closure to call after the last event; `nil` if there is none for this
    /// thread.
    fileprivate mutating func nextDelivery(continuing: Bool) -> (
      events: [RecordedEvent], listeners: [Listener], hidden: HiddenNames, paths: PathTable?,
      shifts: ClockShifts, end: (@Sendable () -> Void)?
    )? {
      guard continuing || !isDelivering else { return nil }
      isDelivering = !pending.isEmpty
      guard isDelivering || isSealed && !hasEnded else { return nil }
      hasEnded = !isDelivering
      defer {
        pending = []
        if hasEnded {
          listeners = []
          whenComplete = {}
        }
      }
      return (pending, listeners, log.hidden, log.paths, log.shifts, hasEnded ? whenComplete : nil)
    }
  }

  private let record: Locked<Record>
  let redaction: FlowRedaction
  /// Empty, because the record has sensitive values, and all that can be dumped of a run leads to the recorder.
  package var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
  /// The identity of the run, for objects that outlive the run and must not retain its record.
  let identity = RunIdentity()
  private let dates: RunDates

  init(
    observers: [Observer] = [], recording: FlowRecording = .everything, redaction: FlowRedaction = .none,
    paths: PathTable? = nil, stepEventCount: Int? = nil, dates: RunDates = .standard
  ) {
    self.dates = dates
    self.redaction = redaction
    record = Locked(
      Record(
        keepsTexts: recording != .none,
        log: EventLog(recording, redaction, paths: paths, identity: identity, stepEventCount: stepEventCount),
        listeners: observers.map { observer in Listener { if let event = $0 { observer(event) } } }))
  }

  var log: EventLog { record.withLock { $0.log } }
  /// The number and the time of the newest event; `nil` once the run has ended.
  var newest: (number: Int, time: Date)? { record.withLock { $0.isSealed ? nil : ($0.count - 1, $0.lastTime) } }
  var replacedSecrets: Set<String> { record.withLock { $0.log.otherSecrets } }
  var lastTime: Date { record.withLock { $0.lastTime } }
  /// True if anything needs the texts of what steps do; otherwise they aren't made.
  var wantsTexts: Bool { record.withLock { $0.wantsTexts } }

  /// The moment on the run's clock, which is read outside all locks, because it may be users' code.
  var now: RunMoment { dates.now }

  // MARK: Writing

  /// Writes under the record's lock; `deliver()` then delivers what was written, outside all locks.
  func write<Result>(_ body: (inout Record) -> Result) -> Result { record.withLock(body) }

  package func record(_ kind: FlowEvent.Kind, source: FlowEvent.Source) {
    record(.plain(kind.changingTexts(.cut)), source: source)
  }

  func record(_ kind: RecordedKind, source: FlowEvent.Source) {
    if append(kind, source: source, at: now) { deliver() }
  }

  /// Appends under a lock that the caller holds, so that the record matches the order of what that lock guards.
  ///
  /// Returns true if `deliver()` has events to deliver once that lock is released.
  @discardableResult
  func append(_ kind: RecordedKind, source: FlowEvent.Source, at moment: RunMoment) -> Bool {
    write { record in
      record.append(kind, source: source, at: moment)
      return record.isWatched
    }
  }

  /// Adds the events that were recorded before the run, with the secrets in them.
  func appendEvents(of log: EventLog) {
    let events = log.recorded()
    let shifts = log.shifts
    // If the run has a clock of its own, the earlier events have dates of another clock.
    let now = dates.isStandard ? nil : dates.now
    write { record in
      record.log.keepSecrets(Array(log.otherSecrets))
      for event in events {
        let then = RunMoment(date: shifts.date(of: event.time), time: event.time)
        record.append(event.recordedKind, source: event.source, at: now ?? then)
      }
    }
  }

  /// Hides the values of names, even in earlier events, because values are hidden when events are read.
  func hide(_ names: Set<String>) {
    if !names.isEmpty { write { $0.log.hidden.insert(names) } }
  }

  /// Hides the texts of a sensitive value that will be replaced, or that only an item has; no lock may be held.
  func hide(value: any Sendable) {
    let texts = SecretParts.texts(of: value)
    write { $0.log.keepSecrets(texts) }
  }

  func link(_ name: String, to key: String, in step: Int) {
    write { $0.log.hidden.link(name, to: key, in: Int32(clamping: step)) }
  }

  /// Removes the events, and returns them; `nil` if there is nothing.
  func takeLog() -> EventLog? {
    write { record in
      guard record.count > 0 || !record.log.otherSecrets.isEmpty else { return nil }
      defer { record.forgetLog() }
      return record.log
    }
  }

  /// Starts or stops dropping events, while a run is restored whose events were recorded before.
  func mute(_ isMuted: Bool) {
    write { record in
      record.dropsEvents = isMuted || record.isSealed
      if isMuted { record.held = [] }
    }
  }

  /// Records, once, the events that were dropped while the run was restored, and that count after it as well.
  package func recordHeld(where counts: (FlowEvent.Kind, FlowEvent.Source) -> Bool) {
    let held = write { $0.held.take() ?? [] }
    for (kind, source) in held where counts(kind.outline, source) { record(kind, source: source) }
  }

  /// Records the last event if there are no listeners; otherwise changes nothing, and returns false.
  func sealIfNoListeners(with kind: RecordedKind, at now: RunMoment) -> Bool {
    write { record in
      guard record.listeners.isEmpty, record.pending.isEmpty, !record.isDelivering else { return false }
      record.append(kind, source: .dataBucket, at: now)
      record.isSealed = true
      record.dropsEvents = true
      record.hasEnded = true
      return true
    }
  }

  /// Records the last event, and calls `whenComplete` when all listeners have received it.
  func seal(with kind: RecordedKind, at now: RunMoment, whenComplete: @escaping @Sendable () -> Void = {}) {
    write { record in
      record.append(kind, source: .dataBucket, at: now)
      record.whenComplete = whenComplete
      record.isSealed = true
      record.dropsEvents = true
    }
    deliver()
  }

  /// Ends the record of a run without an event for the run's end.
  func seal() {
    write { record in
      record.isSealed = true
      record.dropsEvents = true
    }
    deliver()
  }

  // MARK: Delivering

  /// Delivers what has been appended to observers and subscribers, outside all locks.
  func deliver() {
    // A thread that arrives while another one delivers leaves its events to that one.
    var isMine = false
    while let delivery = write({ $0.nextDelivery(continuing: isMine) }) {
      isMine = true
      let paths = delivery.paths?.hiding(delivery.hidden.contains)
      for event in delivery.events {
        let event = event.shown(hiding: delivery.hidden, paths, delivery.shifts)
        for listener in delivery.listeners where listener.from <= event.number { listener.receive(event) }
      }
      guard let end = delivery.end else { continue }
      for listener in delivery.listeners { listener.receive(nil) }
      return end()
    }
  }

  func subscribe() -> (kept: [FlowEvent], live: AsyncStream<FlowEvent>) {
    let (stream, continuation) = AsyncStream.makeStream(of: FlowEvent.self)
    let (log, id) = write { record -> (EventLog, ObjectIdentifier?) in
      guard !record.hasEnded else { return (record.log, nil) }
      let listener = Listener(from: record.count) { event in
        if let event { continuation.yield(event) } else { continuation.finish() }
      }
      record.listeners.append(listener)
      return (record.log, ObjectIdentifier(listener))
    }
    if let id {
      continuation.onTermination = { [weak self] _ in
        // Freed outside the lock.
        _ = self?.write { record in
          record.listeners.firstIndex { ObjectIdentifier($0) == id }.map { record.listeners.remove(at: $0) }
        }
      }
    } else {
      continuation.finish()
    }
    return (log.events, stream)
  }
}

/// The identity of a run, with its recorder until the engine is freed; a weak reference would slow each count down.
final class RunIdentity: Sendable {
  private struct State: Sendable {
    var recorder: Recorder?
    var identifier: String?
  }

  private let state = Locked(State())

  /// The recorder, until the run's engine is freed.
  var recorder: Recorder? { state.withLock { $0.recorder } }

  /// Stores the recorder, before any operation of the run is started.
  func begin(_ recorder: Recorder) { state.withLock { $0.recorder = recorder } }

  /// Removes the recorder, because the engine is freed.
  func end() {
    // The recorder may use the run when it is freed, so it isn't freed under the lock.
    _ = state.withLock { $0.recorder.take() }
  }

  /// 32 hexadecimal digits that distinguish the run from all others; they are created at the first access.
  var runIdentifier: String {
    let random = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return state.withLock { $0.identifier.orNew(random) }
  }
}

/// The events of a run as an asynchronous sequence: the recorded ones so far, and all that follow.
///
/// The sequence ends when the run has ended, or when the task that awaits it is cancelled. Each iterator has its own
/// position. A slow iterator delays nothing and loses nothing, because the events that follow wait in memory.
public struct FlowEvents: AsyncSequence, Sendable {
  let recorder: Recorder

  /// A subscriber and its position.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var kept: IndexingIterator<[FlowEvent]>
    fileprivate var live: AsyncStream<FlowEvent>.Iterator

    /// Returns the next event, waiting until it happens; `nil` after the last one.
    public mutating func next() async -> FlowEvent? {
      if let event = kept.next() { return event }
      return await live.next()
    }
  }

  /// Creates a subscriber.
  public func makeAsyncIterator() -> AsyncIterator {
    let (kept, live) = recorder.subscribe()
    return AsyncIterator(kept: kept.makeIterator(), live: live.makeAsyncIterator())
  }
}
