import Foundation
import OperationFlow

/// What took time in a run: the run itself, its steps, the items of its groups, and undos, each with its attempts.
///
/// Times are in microseconds since 1970, by a clock that nobody has set during the run. What is still open ends with the record's last event. An item or an undo whose
/// beginning or end the record has left out is no span, because it isn't known how long it took: what is known of it are
/// moments.
struct Timeline {
  /// Something that took time.
  struct Span {
    enum Subject: Hashable {
      case run
      /// A step, by its position in the record.
      case step(Int)
      case item(Int, index: Int)
      case undo(Int, index: Int?)
    }

    let subject: Subject
    /// The position of the span that contains it; `nil` for the run.
    var parent: Int?
    var name: String
    var begin: Int64
    var end: Int64
    var attempts: [Attempt] = []
    var state = FlowRecord.State.running
    /// What it failed with last; `nil` unless it failed.
    var error: FlowEvent.Finish?
    /// Whether a span within it has reported that error.
    var isPassedOn = false
    /// The positions of its first and last event in the record.
    var events = 0...0
  }

  /// One attempt of a span.
  struct Attempt {
    let number: Int
    /// The time of its beginning; `nil` if the record has left that out.
    let begin: Int64?
    var end: Int64?
    var finish: FlowEvent.Finish?
    /// The position of the event that reported its beginning; `nil` if the record doesn't have one.
    var event: Int?

    /// When it began and ended, if both are known; one that is at work ends with its span.
    func times(in span: Span) -> (begin: Int64, end: Int64)? {
      guard let begin, let end = end ?? (number == span.attempts.last?.number ? span.end : nil) else { return nil }
      return (begin, end)
    }
  }

  /// The beginning or the end of an attempt of something that isn't known from its beginning to its end.
  struct Moment {
    let subject: Span.Subject
    /// The span that it is shown with.
    let owner: Int
    let name: String
    let time: Int64
    let attempt: Int
    /// How the attempt has ended; `nil` if it has begun.
    let finish: FlowEvent.Finish?
  }

  /// The run first, then each span before those within it, and then the undos.
  private(set) var spans: [Span] = []
  /// The span that each event of the record belongs to.
  private(set) var owners: [Int] = []
  /// What is known of the rest, span by span.
  private(set) var moments: [Moment] = []

  init(_ record: FlowRecord) {
    var collector = TimelineCollector(record)
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
  /// The spans that aren't known from their beginning to their end.
  private var unknown: Set<Int> = []
  private let leftOut: LeftOutPlaces
  private let last: Int64

  init(_ record: FlowRecord) {
    self.record = record
    leftOut = LeftOutPlaces(record.events)
    for (index, step) in record.steps.enumerated() where places[step.id] == nil { places[step.id] = index }
    let start = record.events.first { if case .flowStarted = $0.kind { true } else { false } } ?? record.events.first
    last = record.lastEvent?.time.microseconds ?? 0
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

  /// The span of something, which begins at a time if there is none yet.
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
    // What is logged and written once the undo has begun is its own.
    case .warned, .logged, .added, .replaced, .removed, .progressed: if known[undo] != nil { subject = undo }
    default: break
    }
    let index: Int
    switch event.kind {
    case .skipped, .endedLate, .warned, .logged, .added, .replaced, .removed, .progressed:
      // They don't make a span of what has not begun.
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
    // What was left out may be of what came after, such as undos.
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

  /// The spans, each with its parent, the span of each event, and what is known of what is no span.
  mutating func finish() -> (spans: [Span], owners: [Int], moments: [Timeline.Moment]) {
    closeOpen()
    extendSteps()
    // A damaged record may have times before the run's start, and the run contains them all.
    for span in spans { spans[0].begin = min(spans[0].begin, span.begin) }
    return ordered()
  }

  /// What is open ends with the record, unless the record has left its end out.
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

  /// Whether the first attempt that is known isn't the first one.
  private func isBeginLeftOut(_ span: Span) -> Bool {
    guard let step = span.itemStep, let first = span.attempts.first, first.number > 1 else { return false }
    return leftOut.isGap(before: span.events.lowerBound, of: record.steps[step].id)
  }

  /// Makes each step as long as what is within it, and adds the steps that contain others and have no events.
  private mutating func extendSteps() {
    for index in spans.indices {
      if case .item(let step, _) = spans[index].subject { cover(.step(step), spans[index], record.steps[step]) }
    }
    // Each step comes after those that contain it.
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

  /// Orders the spans by their steps, and finds their parents.
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
  /// The position of the group whose item it is, or undoes; `nil` for others, whose events are all kept.
  fileprivate var itemStep: Int? {
    switch subject {
    case .item(let step, _), .undo(let step, .some): step
    case .run, .step, .undo(_, nil): nil
    }
  }
}
