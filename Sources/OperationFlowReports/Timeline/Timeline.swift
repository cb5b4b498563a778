import Foundation
import OperationFlow

/// The timeline of a run: the run itself, its steps, the items of its groups, and undos, each with its attempts.
///
/// Times are in microseconds since 1970, by a clock that isn't set during the run. A span that is still open ends with
/// the record's last event. An item or undo whose beginning or end the record has left out has no span, because its
/// duration isn't known: its other events are moments.
struct Timeline {
  /// A piece of work with its times.
  struct Span {
    enum Subject: Hashable {
      case run
      /// A step, by its position in the record.
      case step(Int)
      case item(Int, index: Int)
      case undo(Int, index: Int?)
    }

    let subject: Subject
    /// The position of the span that contains this one; `nil` for the run.
    var parent: Int?
    var name: String
    var begin: Int64
    var end: Int64
    var attempts: [Attempt] = []
    var state = FlowRecord.State.running
    /// The last error; `nil` unless the work failed.
    var error: FlowEvent.Finish?
    /// True if a span within this one has already reported the error.
    var isPassedOn = false
    /// The positions of the first and the last event of the work in the record.
    var events = 0...0
  }

  /// One attempt of a span.
  struct Attempt {
    let number: Int
    /// The time of the beginning; `nil` if the record has left it out.
    let begin: Int64?
    var end: Int64?
    var finish: FlowEvent.Finish?
    /// The position of the event that reported the beginning; `nil` if the record doesn't contain it.
    var event: Int?

    /// Returns the beginning and the end, if both are known; a running attempt ends with its span.
    func times(in span: Span) -> (begin: Int64, end: Int64)? {
      guard let begin, let end = end ?? (number == span.attempts.last?.number ? span.end : nil) else { return nil }
      return (begin, end)
    }
  }

  /// The beginning or the end of an attempt of an item or undo that has no span.
  struct Moment {
    let subject: Span.Subject
    /// The position of the span that shows the moment.
    let owner: Int
    let name: String
    let time: Int64
    let attempt: Int
    /// The finish of the attempt; `nil` if the moment is its beginning.
    let finish: FlowEvent.Finish?
  }

  /// The spans: first the run, then each span before the spans within it, and then the undos.
  private(set) var spans: [Span] = []
  /// The position of the span of each event in the record.
  private(set) var owners: [Int] = []
  /// The moments of the items and undos without spans, one item or undo after the other.
  private(set) var moments: [Moment] = []

  /// Folds the events of a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - now: The time until which open spans of a run under way last, in microseconds since 1970; by default, that of
  ///     the last event.
  init(_ record: FlowRecord, until now: Int64? = nil) {
    var collector = TimelineCollector(record, until: now)
    for event in record.events { collector.add(event) }
    (spans, owners, moments) = collector.finish()
  }
}

/// Collects the spans of a record, event by event.
private struct TimelineCollector {
  typealias Span = Timeline.Span

  private let record: FlowRecord
  /// The position of each step in the record, by its number.
  private var places: [Int: Int] = [:]
  private var spans: [Span]
  private var known: [Span.Subject: Int] = [:]
  private var owners: [Int] = []
  /// The positions of spans whose beginning or end isn't known.
  private var unknown: Set<Int> = []
  private let leftOut: LeftOutPlaces
  private let last: Int64

  init(_ record: FlowRecord, until now: Int64?) {
    self.record = record
    leftOut = LeftOutPlaces(record.events)
    for (index, step) in record.steps.enumerated() where places[step.id] == nil { places[step.id] = index }
    let start = record.events.first { if case .flowStarted = $0.kind { true } else { false } } ?? record.events.first
    last = max(record.lastEvent?.time.microseconds ?? 0, now ?? .min)
    var run = Span(
      subject: .run, parent: nil, name: record.flowName, begin: start?.time.microseconds ?? 0, end: last,
      events: 0...0)
    if let ending = record.ending { run.state = ending.result.state }
    if let failure = record.ending?.failure {
      run.error = .withError(failure.problem)
      run.isPassedOn = failure.step != nil
    }
    spans = [run]
    owners.reserveCapacity(record.events.count)
  }

  /// Returns the position of a subject's span; if there is none, adds one that begins at this time.
  private mutating func span(_ subject: Span.Subject, at time: Int64, named name: String) -> Int {
    if let index = known[subject] { return index }
    known[subject] = spans.count
    let position = owners.count
    spans.append(
      Span(subject: subject, parent: 0, name: name, begin: time, end: time, events: position...position))
    return spans.count - 1
  }

  mutating func add(_ event: FlowEvent) {
    guard let step = event.step.flatMap({ places[$0] }) else { return owners.append(0) }
    let (time, item) = (event.time.microseconds, event.source.item)
    let undo = Span.Subject.undo(step, index: item)
    var subject = item.map { Span.Subject.item(step, index: $0) } ?? .step(step)
    switch event.kind {
    case .undoStarted, .undoFinished: subject = undo
    // Log lines and writes after the start of an undo belong to the undo.
    case .warned, .logged, .added, .replaced, .removed, .progressed: if known[undo] != nil { subject = undo }
    default: break
    }
    let index: Int
    switch event.kind {
    case .skipped, .endedLate, .warned, .logged, .added, .replaced, .removed, .progressed:
      // These events don't begin a span.
      if let found = known[subject] {
        index = found
      } else {
        return owners.append(known[.step(step)] ?? 0)
      }
    default: index = span(subject, at: time, named: Self.name(event, record.steps[step]))
    }
    spans[index].events = spans[index].events.lowerBound...max(owners.count, spans[index].events.upperBound)
    owners.append(index)
    switch event.kind {
    case .started, .undoStarted:
      spans[index].attempts.append(Timeline.Attempt(number: event.attempt, begin: time, event: owners.count - 1))
      (spans[index].state, spans[index].error) = (.running, nil)
    case .finished(let finish), .undoFinished(let finish): end(index, finish, event, at: time)
    case .recovered:
      (spans[index].state, spans[index].error) = (.succeeded, nil)
      spans[index].end = max(spans[index].end, time)
    // Events that were left out may belong to later work, such as undos.
    case .endedLate, .leftOut: break
    default: spans[index].end = max(spans[index].end, time)
    }
  }

  private mutating func end(_ index: Int, _ finish: FlowEvent.Finish, _ event: FlowEvent, at time: Int64) {
    spans[index].end = max(spans[index].end, time)
    let isFirst = spans[index].attempts.isEmpty
    let isGap = event.step.map { leftOut.isGap(before: owners.count - 1, of: $0) } ?? false
    if let last = spans[index].attempts.indices.last, spans[index].attempts[last].end == nil,
      !isGap || spans[index].attempts[last].number == event.attempt
    {
      spans[index].attempts[last].end = time
      spans[index].attempts[last].finish = finish
    } else {
      let begin = isGap && event.source.item != nil ? nil : spans[index].begin
      spans[index].attempts.append(
        Timeline.Attempt(number: event.attempt, begin: begin, end: time, finish: finish))
      if isFirst, begin == nil { unknown.insert(index) }
    }
    switch finish {
    case .successfully: (spans[index].state, spans[index].error) = (.succeeded, nil)
    case .cancelled: (spans[index].state, spans[index].error) = (.cancelled, nil)
    case .withError, .withInsufficientInputData, .withMismatchInputDataType:
      (spans[index].state, spans[index].error) = (event.isRetried ? .running : .failed, finish)
      spans[index].isPassedOn = event.isPassedOn
    }
  }

  private static func name(_ event: FlowEvent, _ step: FlowRecord.Step) -> String {
    let name = ValueText.cut(step.name, limit: 200)
    return switch event.kind {
    case .undoStarted, .undoFinished: event.source.item.map { "undo \(name) \($0.itemNumber)" } ?? "undo \(name)"
    default: event.source.item.map { "\(name) \($0.itemNumber)" } ?? name
    }
  }

  // MARK: The end

  /// Returns the spans with their parents, the span of each event, and the moments.
  mutating func finish() -> (spans: [Span], owners: [Int], moments: [Timeline.Moment]) {
    closeOpen()
    extendSteps()
    // In a damaged record, a span may begin before the run; the run's span must contain all others.
    for span in spans { spans[0].begin = min(spans[0].begin, span.begin) }
    return ordered()
  }

  /// Ends open spans with the record, unless the record has left out their ends.
  private mutating func closeOpen() {
    for index in spans.indices {
      if case .step(let step) = spans[index].subject { spans[index].state = record.steps[step].state }
    }
    for index in spans.indices where spans[index].state == .running {
      if isEndLeftOut(spans[index]) {
        unknown.insert(index)
      } else {
        spans[index].end = max(spans[index].begin, last)
      }
    }
    for index in spans.indices where isBeginLeftOut(spans[index]) { unknown.insert(index) }
  }

  private func isEndLeftOut(_ span: Span) -> Bool {
    guard let step = span.itemStep else { return false }
    return leftOut.isGap(after: span.events.upperBound, of: record.steps[step].id)
  }

  /// Returns true if the record has left out the first attempts of an item or its undo.
  private func isBeginLeftOut(_ span: Span) -> Bool {
    guard let step = span.itemStep, let first = span.attempts.first, first.number > 1 else { return false }
    return leftOut.isGap(before: span.events.lowerBound, of: record.steps[step].id)
  }

  /// Extends each step's span to the spans within it, and adds spans for parents without events.
  private mutating func extendSteps() {
    for index in spans.indices {
      if case .item(let step, _) = spans[index].subject { cover(.step(step), spans[index], record.steps[step]) }
    }
    // In a record, a step follows the steps that contain it, so this order handles the innermost first.
    for (place, step) in record.steps.enumerated().reversed() {
      guard let own = known[.step(place)], let parent = step.parent.flatMap({ places[$0] }), parent < place else {
        continue
      }
      cover(.step(parent), spans[own], record.steps[parent])
    }
  }

  private mutating func cover(_ subject: Span.Subject, _ inner: Span, _ step: FlowRecord.Step) {
    let index = span(subject, at: inner.begin, named: ValueText.cut(step.name, limit: 200))
    spans[index].begin = min(spans[index].begin, inner.begin)
    spans[index].end = max(spans[index].end, inner.end)
    spans[index].state = step.state
    if step.state == .running { spans[index].end = last }
  }

  /// Returns the spans in the order of their steps, with their parents, their events' owners, and the moments.
  private func ordered() -> (spans: [Span], owners: [Int], moments: [Timeline.Moment]) {
    var order: [Int] = [0]
    order.reserveCapacity(spans.count)
    var items: [Int: [Int]] = [:]
    for index in spans.indices where !unknown.contains(index) {
      if case .item(let step, _) = spans[index].subject { items[step, default: []].append(index) }
    }
    for step in record.steps.indices {
      if let index = known[.step(step)] { order.append(index) }
      order += items[step] ?? []
    }
    order += spans.indices.filter { index in
      if case .undo = spans[index].subject { !unknown.contains(index) } else { false }
    }
    var moved = [Int](repeating: 0, count: spans.count)
    for (new, old) in order.enumerated() { moved[old] = new }
    for index in unknown {
      if case .item(let step, _) = spans[index].subject { moved[index] = known[.step(step)].map { moved[$0] } ?? 0 }
    }
    let found = order.map { old in
      var span = spans[old]
      switch span.subject {
      case .run: span.parent = nil
      case .undo: span.parent = 0
      case .item(let step, _): span.parent = known[.step(step)].map { moved[$0] } ?? 0
      case .step(let step):
        let parent = record.steps[step].parent.flatMap { places[$0] }
        span.parent = parent.flatMap { $0 < step ? known[.step($0)] : nil }.map { moved[$0] } ?? 0
      }
      return span
    }
    return (found, owners.map { moved[$0] }, unknown.sorted().flatMap { moments(of: spans[$0], owner: moved[$0]) })
  }

  private func moments(of span: Span, owner: Int) -> [Timeline.Moment] {
    func moment(_ time: Int64, _ attempt: Timeline.Attempt, _ finish: FlowEvent.Finish?) -> Timeline.Moment {
      Timeline.Moment(
        subject: span.subject, owner: owner, name: span.name, time: time, attempt: attempt.number, finish: finish)
    }
    return span.attempts.flatMap { attempt in
      let begin = attempt.begin.map { [moment($0, attempt, nil)] } ?? []
      guard let end = attempt.end, let finish = attempt.finish else { return begin }
      return begin + [moment(end, attempt, finish)]
    }
  }
}

extension Timeline.Span {
  /// The position of the group, for the span of an item or its undo; `nil` for others, whose events are all recorded.
  fileprivate var itemStep: Int? {
    switch subject {
    case .item(let step, _), .undo(let step, .some): step
    case .run, .step, .undo(_, nil): nil
    }
  }
}
