import Foundation
import OperationFlow

/// What took time in a run: the run itself, its steps, the items of its groups, and undos, each with its attempts.
///
/// Times are in microseconds since 1970. What is still open ends with the record's last event, and an item whose end the
/// record has left out ends with its group.
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
    var begin: Int
    var end: Int
    var attempts: [Attempt] = []
    var state = FlowRecord.State.running
    /// What it failed with last; `nil` unless it failed.
    var error: FlowEvent.Finish?
    /// Whether a span within it has reported that error.
    var isPassedOn = false
  }

  /// One attempt of a span.
  struct Attempt {
    let number: Int
    let begin: Int
    var end: Int?
    var finish: FlowEvent.Finish?
  }

  /// The run first, then each span before those within it, and then the undos.
  private(set) var spans: [Span] = []
  /// The span that each event of the record belongs to.
  private(set) var owners: [Int] = []

  init(_ record: FlowRecord) {
    var collector = TimelineCollector(record)
    for event in record.events { collector.add(event) }
    (spans, owners) = collector.finish()
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
  /// The last event about undoing each step, by its position.
  private var undoEnds: [Int: Int] = [:]
  private let last: Int

  init(_ record: FlowRecord) {
    self.record = record
    for (index, step) in record.steps.enumerated() where places[step.id] == nil { places[step.id] = index }
    let start = record.events.first { if case .flowStarted = $0.kind { true } else { false } } ?? record.events.first
    last = record.lastEvent?.date.microseconds ?? 0
    var run = Span(
      subject: .run, parent: nil, name: record.flowName, begin: start?.date.microseconds ?? 0, end: last)
    if let ending = record.ending { run.state = ending.result.state }
    if let failure = record.ending?.failure {
      run.error = .withError(failure.problem)
      run.isPassedOn = failure.step != nil
    }
    spans = [run]
    owners.reserveCapacity(record.events.count)
  }

  /// The span of something, which begins at a time if there is none yet.
  private mutating func span(_ subject: Span.Subject, at time: Int, named name: String) -> Int {
    if let index = known[subject] { return index }
    known[subject] = spans.count
    spans.append(Span(subject: subject, parent: 0, name: name, begin: time, end: time))
    return spans.count - 1
  }

  mutating func add(_ event: FlowEvent) {
    guard let step = event.step.flatMap({ places[$0] }) else { return owners.append(0) }
    let (time, item) = (event.date.microseconds, event.source.item)
    let subject: Span.Subject =
      switch event.kind {
      case .undoStarted, .undoFinished: .undo(step, index: item)
      default: item.map { .item(step, index: $0) } ?? .step(step)
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
    owners.append(index)
    if case .undo = subject { undoEnds[step] = max(undoEnds[step] ?? time, time) }
    switch event.kind {
    case .started, .undoStarted:
      spans[index].attempts.append(Timeline.Attempt(number: event.attempt, begin: time))
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

  private mutating func end(_ index: Int, _ finish: FlowEvent.Finish, _ event: FlowEvent, at time: Int) {
    spans[index].end = max(spans[index].end, time)
    if let last = spans[index].attempts.indices.last, spans[index].attempts[last].end == nil {
      spans[index].attempts[last].end = time
      spans[index].attempts[last].finish = finish
    } else {
      spans[index].attempts.append(
        Timeline.Attempt(number: event.attempt, begin: spans[index].begin, end: time, finish: finish))
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
    case .undoStarted, .undoFinished: event.source.item.map { "undo \(name) #\($0)" } ?? "undo \(name)"
    default: event.source.item.map { "\(name) #\($0)" } ?? name
    }
  }

  // MARK: The end

  /// The spans, each with its parent, and the span of each event.
  mutating func finish() -> (spans: [Span], owners: [Int]) {
    closeOpen()
    extendSteps()
    // A damaged record may have times before the run's start, and the run contains them all.
    for span in spans { spans[0].begin = min(spans[0].begin, span.begin) }
    return ordered()
  }

  /// What is open ends with the record, and what the record has left the end of with what it belongs to.
  private mutating func closeOpen() {
    for index in spans.indices {
      if case .step(let step) = spans[index].subject { spans[index].state = record.steps[step].state }
    }
    for index in spans.indices where spans[index].state == .running {
      guard let (time, state) = leftOutEnd(of: spans[index].subject) else {
        spans[index].end = max(spans[index].begin, last)
        continue
      }
      spans[index].end = max(spans[index].end, time)
      (spans[index].state, spans[index].error) = (state, nil)
    }
  }

  /// When something has ended at the latest, and how, if the record has left its end out; `nil` if it has not ended.
  private func leftOutEnd(of subject: Span.Subject) -> (time: Int, state: FlowRecord.State)? {
    switch subject {
    case .item(let step, _):
      let state = record.steps[step].state
      guard state.hasEnded, let group = known[.step(step)] else { return nil }
      return (spans[group].end, state.ofLeftOutItem)
    case .undo(let step, .some): return record.ending == nil ? nil : (undoEnds[step] ?? last, .succeeded)
    case .run, .step, .undo: return nil
    }
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
  private func ordered() -> (spans: [Span], owners: [Int]) {
    var order: [Int] = [0]
    order.reserveCapacity(spans.count)
    var items: [Int: [Int]] = [:]
    for index in spans.indices {
      if case .item(let step, _) = spans[index].subject { items[step, default: []].append(index) }
    }
    for step in record.steps.indices {
      if let index = known[.step(step)] { order.append(index) }
      order += items[step] ?? []
    }
    order += spans.indices.filter { if case .undo = spans[$0].subject { true } else { false } }
    var moved = [Int](repeating: 0, count: spans.count)
    for (new, old) in order.enumerated() { moved[old] = new }
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
    return (found, owners.map { moved[$0] })
  }
}
