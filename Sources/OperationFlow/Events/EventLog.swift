/// The events of a run that are kept, in order.
///
/// Events lie in chunks, so that a growing record is never copied. Where a step has more of them than are to be kept,
/// the newest stand in a ring, and what falls out of it is counted.
struct EventLog: Sendable {
  private static let chunkSize = 512
  private var full: [[FlowEvent]] = []
  private var newest: [FlowEvent] = []

  /// How many of a step's events are kept from its beginning.
  private let headLimit: Int
  /// Whether what steps do is kept, and what tells of failures.
  private let keepsSteps: Bool
  /// How many events have come since a step began or ended.
  private var stepCount = 0
  private var tail: EventRing
  private var leftOut = LeftOut()
  /// The items that have failed, and whose last event is still in the ring.
  private var failedItems: Set<Int> = []

  init(_ recording: FlowRecording = .everything) {
    switch recording {
    case .everything: (headLimit, tail, keepsSteps) = (.max, EventRing(capacity: 0), true)
    case .bounded(let first, let last):
      (headLimit, tail, keepsSteps) = (max(0, first), EventRing(capacity: max(0, last)), true)
    case .none: (headLimit, tail, keepsSteps) = (0, EventRing(capacity: 0), false)
    }
  }

  /// All events that are kept, in one array; where some are left out, an event says how many.
  var events: [FlowEvent] {
    var log = self
    log.endStep()
    return Array(log.full.joined()) + log.newest
  }

  mutating func append(_ event: consuming FlowEvent) {
    switch event.rank {
    case .run: keepNow(event)
    case .step where keepsSteps: keepNow(event)
    case .step, .detail:
      stepCount += 1
      if stepCount <= headLimit { return keep(event) }
      if keepsSteps, event.isFailure, let item = event.source.item { failedItems.insert(item) }
      if let old = tail.append(event) { leave(old) }
    }
  }

  /// Another step begins, of which no event says so.
  mutating func beginStep() {
    if stepCount > 0 { endStep() }
  }

  private mutating func keepNow(_ event: consuming FlowEvent) {
    if stepCount > 0 { endStep() }
    keep(event)
  }

  /// Hands the ring's events on: nothing more comes of the step.
  private mutating func endStep() {
    if stepCount > headLimit {
      noteLeftOut()
      for event in tail.removeAll() { keep(event) }
      failedItems = []
    }
    stepCount = 0
  }

  /// Counts an event that has fallen out of the ring, or keeps it where it tells of an item that has failed.
  private mutating func leave(_ event: FlowEvent) {
    guard !failedItems.isEmpty, let item = event.source.item, failedItems.contains(item) else {
      return leftOut.add(event)
    }
    noteLeftOut()
    keep(event)
    if event.isFailure { failedItems.remove(item) }
  }

  private mutating func noteLeftOut() {
    guard let event = leftOut.event else { return }
    keep(event)
    leftOut = LeftOut()
  }

  @inline(__always)
  private mutating func keep(_ event: consuming FlowEvent) {
    if newest.count == Self.chunkSize {
      full.append(newest)
      newest = []
      // The first chunk grows, for most records are short; what comes after it is full-sized at once.
      newest.reserveCapacity(Self.chunkSize)
    }
    newest.append(event)
  }

  mutating func replaceAll(_ change: (FlowEvent) -> FlowEvent) {
    full = full.map { $0.map(change) }
    newest = newest.map(change)
    tail.replaceAll(change)
  }
}
