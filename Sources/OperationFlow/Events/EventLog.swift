import Foundation

/// The part of a run's events that its record contains; observers and subscribers always receive every event.
public enum FlowRecording: Sendable, Hashable {
  /// Records every event: at least two for each item of a group, at about 64 bytes each.
  case everything
  /// Records this many events from the beginning and this many from the end of each step or group of items.
  ///
  /// The events between are left out and counted, except those of the first 1,000 items that fail, as far as they are
  /// still recorded when the item fails. The events of runs and steps themselves are always recorded. Counts below 0
  /// are treated as 0.
  case bounded(first: Int, last: Int)
  /// Records only the beginning and the end of the run, and the number of events that were left out.
  case none

  /// Records the first and last 1,000 events of each step or group, and the events about the first 1,000 failures.
  public static let standard = FlowRecording.bounded(first: 1_000, last: 1_000)
}

/// The recorded events of a run, in order, in chunks, so that a growing record is never copied.
///
/// If a step has more events than the limits allow, its share has the newest events, and counts the displaced ones.
struct EventLog: Sendable {
  private static let chunkSize = 512
  private var newest: [RecordedEvent] = []
  /// The chunks before the newest one.
  private var full: [[RecordedEvent]] = []
  /// The number of a step's events that are recorded from its beginning, and the number from its end.
  private let headLimit: Int
  private let tailLimit: Int
  /// True if the events of steps and of failures are recorded.
  private let keepsSteps: Bool
  /// The shares of steps that haven't ended; -1 is the key for all events without a step.
  private var shares = [Int32: StepShare]()
  /// The shares' events of steps that have ended.
  private var ended: [[RecordedEvent]] = []
  /// The texts of sensitive values that are no longer in the bucket.
  private(set) var otherSecrets: Set<String> = []
  private(set) var shifts = ClockShifts()
  let paths: PathTable?
  /// The names whose values are hidden when events are read, no matter when the names were marked.
  var hidden: HiddenNames
  /// The identity of the run; `nil` for events of no run.
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

  /// The recorded events as they are shown; this may make texts, so no lock may be held.
  var events: [FlowEvent] {
    let paths = shownPaths
    return recorded().map { [shifts] in $0.shown(hiding: hidden, paths, shifts) }
  }

  var shownPaths: PathTable? { paths?.hiding { hidden.contains($0) } }

  /// Adds the texts of hidden values in events from a number on; returns the number after the last of these events.
  @discardableResult
  func insertSecrets(into secrets: inout SecretTexts, from number: Int = 0) -> Int {
    let events = hidden.isEmpty ? [] : recorded(from: number)
    for event in events {
      for text in event.recordedKind.hiddenTexts(hidden, in: event.step) { secrets.insert(text) }
    }
    return events.last.map { $0.number + 1 } ?? number
  }

  /// Records the difference between a moment's date and its time, which applies from a time on, and returns it.
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

  /// Returns an empty log that hides the same names, these names too, and the values of all hidden names.
  func emptied(hiding names: Set<String> = [], of values: [String: any Sendable] = [:]) -> EventLog {
    var log = EventLog(paths: paths, identity: identity)
    log.hidden = hidden
    log.hidden.insert(names)
    for (name, value) in values where log.hidden.contains(ValueText.name(name)) {
      log.keepSecrets(SecretParts.texts(of: value))
    }
    return log
  }

  /// Returns the recorded events from a number on, in order.
  func recorded(from number: Int = 0) -> [RecordedEvent] {
    let cut = cutShares
    let chunks = (full + [newest] + cut).filter { ($0.last?.number ?? -1) >= number }
    let events = chunks.flatMap { $0.drop { $0.number < number } }
    // The events of a share may be older than later events of other steps.
    return cut.isEmpty ? events : events.sorted { $0.number < $1.number }
  }

  /// True if a line was logged.
  var hasLines: Bool {
    recorded().contains { if case .plain(.logged) = $0.recordedKind { true } else { false } }
  }

  /// The events in the shares of steps that have had more than `headLimit`.
  private var cutShares: [[RecordedEvent]] {
    var cut = ended
    for share in shares.values where share.count > headLimit { cut.append(share.events) }
    return cut
  }

  /// Adds an event, whose number is higher than those of all before it.
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
      // The share is changed in place, because it is large, and a group's items have two events each.
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

  /// Removes the share of a step that has ended, or is tried again, and stores the share's events.
  mutating func endStep(_ step: Int32) {
    // Most steps have no events but those of their start and their end.
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

/// The events of one step after the first ones: the newest, and those of items that failed.
struct StepShare: Sendable {
  /// The step's index in the blueprint, or -1 for all events without a step.
  private let step: Int32
  private(set) var count = 0
  /// The newest events; from the limit on, each new event replaces the oldest.
  private var newest: [RecordedEvent] = []
  private var oldest = 0
  /// The events of failed items that were displaced from `newest`, with reports of the events left out between them.
  private var others: [RecordedEvent] = []
  /// The numbers of events and of ended items that were left out since the last such report.
  private var leftOutEvents = 0
  private var leftOutItems = 0
  /// The number and the time of the last event that was left out.
  private var lastNumber = 0
  private var lastTime = Date.distantPast
  /// The items whose failure is still among the newest events.
  private var failedItems: Set<Int> = []
  private var keptFailureCount = 0

  /// The number of failed items whose events are stored even if they aren't among the first or the newest events.
  private static let failureLimit = 1_000

  init(step: Int32) { self.step = step }

  /// Counts an event; returns false for one of the first events, which are stored elsewhere.
  mutating func count(beyond first: Int) -> Bool {
    count += 1
    return count > first
  }

  /// Adds an event after the first ones; the event that it displaces is counted, or stored because its item failed.
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

  /// The event that reports the number of events left out since the last report; `nil` if there are none.
  var leftOut: RecordedEvent? {
    guard leftOutEvents > 0 else { return nil }
    var source = FlowEvent.Source.record
    source.step = step
    let kind = FlowEvent.Kind.leftOut(events: leftOutEvents, items: leftOutItems)
    return RecordedEvent(time: lastTime, source: source, recordedKind: .plain(kind), number: lastNumber)
  }

  var events: [RecordedEvent] { others + (leftOut.map { [$0] } ?? []) + newest[oldest...] + newest[..<oldest] }
}

/// The differences between a run's dates and its times, each from a time on; none, as long as no one sets the clock.
struct ClockShifts: Sendable {
  private struct Shift: Sendable {
    let start: Date
    let seconds: Double
  }

  private var shifts: [Shift] = []

  /// Smaller differences are those between two readings, and of clocks that run a little faster or slower than others.
  private static let least = 0.1

  /// Returns true if the difference between a moment's date and its time isn't the given one.
  static func isShifted(_ moment: RunMoment, from seconds: Double) -> Bool {
    abs(moment.date.timeIntervalSince(moment.time) - seconds) >= least
  }

  /// Records the difference between a moment's date and its time, which applies from a time on, and returns it.
  mutating func record(_ moment: RunMoment, from time: Date) -> Double {
    let seconds = moment.date.timeIntervalSince(moment.time)
    shifts.append(Shift(start: time, seconds: seconds))
    return seconds
  }

  func date(of time: Date) -> Date {
    shifts.last { $0.start <= time }.map { time.addingTimeInterval($0.seconds) } ?? time
  }
}
