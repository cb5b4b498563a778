import Foundation

/// The part of a run's events that its record keeps; observers and subscribers always receive every event.
public enum FlowRecording: Sendable, Hashable {
  /// Keeps every event: at least two for each item of a group, at about 64 bytes each.
  case everything
  /// Keeps this many events from the beginning and this many from the end of each step or group of items.
  ///
  /// The events between are left out and counted, except that everything known of the first 1,000 items that fail is
  /// kept. The events of runs and steps themselves are always kept. Counts below 0 are treated as 0.
  case bounded(first: Int, last: Int)
  /// Keeps only the beginning and end of the run, and how many events were left out.
  case none

  /// Keeps the first and last 1,000 events of each step or group, and the events about the first 1,000 failures.
  public static let standard = FlowRecording.bounded(first: 1_000, last: 1_000)
}

/// The events of a run that are kept, in order, in chunks, so that a growing record is never copied.
///
/// If a step has more events than are to be kept, the newest are in the step's share, and the ones they push out are counted.
struct EventLog: Sendable {
  private static let chunkSize = 512
  private var newest: [RecordedEvent] = []
  /// The chunks before the newest one.
  private var full: [[RecordedEvent]] = []
  /// How many of a step's events are kept from its beginning, and how many from its end.
  private let headLimit: Int
  private let tailLimit: Int
  /// Whether the events of steps and of failures are kept.
  private let keepsSteps: Bool
  /// The shares of steps that have not ended; -1 is that of all events that no step has caused.
  private var shares = [Int32: StepShare]()
  /// What is kept apart of steps that have ended.
  private var ended: [[RecordedEvent]] = []
  /// The texts of sensitive values that are no longer in the bucket.
  private(set) var otherSecrets: Set<String> = []
  private(set) var shifts = ClockShifts()
  let paths: PathTable?
  /// The names whose values are hidden when events are read, no matter when the names were marked.
  var hidden: HiddenNames
  /// What has the identifier of the run; `nil` for events of no run.
  let identity: RunIdentity?

  init(
    _ recording: FlowRecording = .everything, _ redaction: FlowRedaction = .none, paths: PathTable? = nil,
    identity: RunIdentity? = nil, stepEventCount: Int? = nil
  ) {
    self.paths = paths
    self.identity = identity
    hidden = HiddenNames(redaction)
    switch recording {
    case .everything:
      headLimit = .max
      tailLimit = 0
      keepsSteps = true
    case .bounded(let first, let last):
      headLimit = max(0, first)
      tailLimit = max(0, last)
      keepsSteps = true
    case .none:
      headLimit = 0
      tailLimit = 0
      keepsSteps = false
    }
    // Most records have the run's two events, and some of each step.
    if let stepEventCount { newest.reserveCapacity(2 + (keepsSteps ? min(Self.chunkSize, stepEventCount) : 0)) }
  }

  /// The events that are kept, as they are shown; it may make texts, so no lock may be held.
  var events: [FlowEvent] {
    let paths = shownPaths
    return recorded().map { [shifts] in $0.shown(hiding: hidden, paths, shifts) }
  }

  var shownPaths: PathTable? { paths?.hiding { hidden.contains($0) } }

  /// Adds the texts of hidden values that the events have from a number on; returns the number after the last of them.
  @discardableResult
  func insertSecrets(into secrets: inout SecretTexts, from number: Int = 0) -> Int {
    let events = hidden.isEmpty ? [] : recorded(from: number)
    for event in events {
      for text in event.recordedKind.hiddenTexts(hidden, in: event.step) { secrets.insert(text) }
    }
    return events.last.map { $0.number + 1 } ?? number
  }

  /// Notes how far a moment's date is from its time, which holds from a time on, and returns it.
  mutating func recordShift(_ moment: RunMoment, from time: Date) -> Double { shifts.record(moment, from: time) }

  mutating func keepSecrets(_ texts: [String]) {
    for text in texts where otherSecrets.count < SecretTexts.limit { otherSecrets.insert(text) }
  }

  func hiding(_ names: Set<String>, _ redaction: FlowRedaction) -> EventLog {
    var log = self
    log.hidden = HiddenNames(redaction)
    log.hidden.insert(names)
    return log
  }

  /// An empty log that hides the same names, these names too, and the values that the hidden names have.
  func emptied(hiding names: Set<String> = [], of values: [String: any Sendable] = [:]) -> EventLog {
    var log = EventLog(paths: paths, identity: identity)
    log.hidden = hidden
    log.hidden.insert(names)
    for (name, value) in values where log.hidden.contains(ValueText.name(name)) {
      log.keepSecrets(SecretParts.texts(of: value))
    }
    return log
  }

  /// The events that are kept from a number on, in order.
  func recorded(from number: Int = 0) -> [RecordedEvent] {
    let cut = cutShares
    let chunks = (full + [newest] + cut).filter { ($0.last?.number ?? -1) >= number }
    let events = chunks.flatMap { $0.drop { $0.number < number } }
    // What is kept of a step may be older than later events of other steps.
    return cut.isEmpty ? events : events.sorted { $0.number < $1.number }
  }

  /// Whether a line was logged.
  var hasLines: Bool {
    recorded().contains { if case .plain(.logged) = $0.recordedKind { true } else { false } }
  }

  /// What is kept, beside the first ones, of each step that has had more events than that.
  private var cutShares: [[RecordedEvent]] {
    var cut = ended
    for share in shares.values where share.count > headLimit { cut.append(share.events) }
    return cut
  }

  /// Adds an event, whose number is higher than those before it.
  mutating func append(_ event: consuming RecordedEvent) {
    switch event.rank {
    case .run:
      keep(event)
    case .step where keepsSteps:
      endStep(event.step)
      endStep(-1)
      keep(event)
    case .step, .detail:
      let step = keepsSteps ? event.step : -1
      // The share is changed in its place, because it is large, and a group's items have two events each.
      guard let place = shares.index(forKey: step) else {
        shares[step] = StepShare(step: step)
        return append(event)
      }
      if shares.values[place].count(beyond: headLimit) {
        shares.values[place].add(event, last: tailLimit, keepsFailures: keepsSteps)
      } else {
        keep(event)
      }
    }
  }

  /// Keeps what is kept apart of a step that has ended, or that is tried again, and begins to count anew.
  mutating func endStep(_ step: Int32) {
    // Most steps have no events but those of their beginning and their end.
    guard !shares.isEmpty, let share = shares.removeValue(forKey: step) else { return }
    if share.count > headLimit { ended.append(share.events) }
  }

  private mutating func keep(_ event: consuming RecordedEvent) {
    if newest.count == Self.chunkSize {
      full.append(newest)
      newest = []
      // The first chunk grows, because most records are short; later ones are allocated at full size.
      newest.reserveCapacity(Self.chunkSize)
    }
    newest.append(event)
  }
}

/// The events of one step after the first ones that a record keeps: the newest, and those of items that failed.
struct StepShare: Sendable {
  /// The step's place in the blueprint, or -1 for all events that no step has caused.
  private let step: Int32
  private(set) var count = 0
  /// The newest events; once there are as many as are kept, the next one takes the place of the oldest.
  private var newest: [RecordedEvent] = []
  private var oldest = 0
  /// Those of failed items that the newest have pushed out, and how many were left out before each.
  private var others: [RecordedEvent] = []
  /// How many events have been left out since that was last reported, and how many items have ended in them.
  private var leftOutEvents = 0
  private var leftOutItems = 0
  /// The number and the time of the last of them.
  private var lastNumber = 0
  private var lastTime = Date.distantPast
  /// The items that have failed and whose last event is still among the newest.
  private var failedItems: Set<Int> = []
  private var keptFailureCount = 0

  /// The number of failed items of which all known events are kept, even if neither among the first nor the newest.
  private static let failureLimit = 1_000

  init(step: Int32) { self.step = step }

  /// Counts an event; false if it is one of the first ones, which are kept elsewhere.
  mutating func count(beyond first: Int) -> Bool {
    count += 1
    return count > first
  }

  /// Adds an event that isn't one of the first ones; the one that it pushes out is counted, or kept because its item failed.
  mutating func add(_ event: consuming RecordedEvent, last: Int, keepsFailures: Bool) {
    if keepsFailures, let item = event.item, keptFailureCount < Self.failureLimit, event.isFailure {
      if failedItems.insert(item).inserted { keptFailureCount += 1 }
    }
    guard newest.count >= last else { return newest.append(event) }
    if last > 0 {
      swap(&newest[oldest], &event)
      oldest = oldest + 1 == last ? 0 : oldest + 1
    }
    let old = consume event
    guard !failedItems.isEmpty, let item = old.item, failedItems.contains(item) else { return leaveOut(old) }
    if old.isFailure { failedItems.remove(item) }
    if let leftOut { others.append(leftOut) }
    leftOutEvents = 0
    leftOutItems = 0
    others.append(old)
  }

  mutating func leaveOut(_ event: RecordedEvent) {
    leftOutEvents += 1
    lastNumber = event.number
    lastTime = event.time
    // An item has ended if neither another attempt nor a recovery follows.
    guard event.item != nil, event.failure != .retried, event.failure != .recovering else { return }
    switch event.kind {
    case .finished, .recovered: leftOutItems += 1
    default: break
    }
  }

  /// The event that reports how many events were left out since the last one, in its place; `nil` if there are none.
  var leftOut: RecordedEvent? {
    guard leftOutEvents > 0 else { return nil }
    var source = FlowEvent.Source.record
    source.step = step
    let kind = FlowEvent.Kind.leftOut(events: leftOutEvents, items: leftOutItems)
    return RecordedEvent(time: lastTime, source: source, recordedKind: .plain(kind), number: lastNumber)
  }

  var events: [RecordedEvent] { others + (leftOut.map { [$0] } ?? []) + newest[oldest...] + newest[..<oldest] }
}

/// How far a run's dates are from its times, each from a time on: nothing, as long as nobody sets the clock.
struct ClockShifts: Sendable {
  private struct Shift: Sendable {
    let start: Date
    let seconds: Double
  }

  private var shifts: [Shift] = []

  /// Differences below are those of two readings, and of clocks that run a little faster or slower than others.
  private static let least = 0.1

  /// True if a moment's date is further from its time than another one was.
  static func isShifted(_ moment: RunMoment, from seconds: Double) -> Bool {
    abs(moment.date.timeIntervalSince(moment.time) - seconds) >= least
  }

  /// Notes how far a moment's date is from its time, which holds from a time on, and returns it.
  mutating func record(_ moment: RunMoment, from time: Date) -> Double {
    let seconds = moment.date.timeIntervalSince(moment.time)
    shifts.append(Shift(start: time, seconds: seconds))
    return seconds
  }

  func date(of time: Date) -> Date {
    shifts.last { $0.start <= time }.map { time.addingTimeInterval($0.seconds) } ?? time
  }
}
