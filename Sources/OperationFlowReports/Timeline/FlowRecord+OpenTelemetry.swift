import Foundation
import OperationFlow

extension FlowRecord {
  /// Returns the run as spans in the JSON form of OpenTelemetry's protocol (OTLP), for its collector and other tools.
  ///
  /// The run, its steps, items and undos are spans. Steps that never ran have no spans, and a record without events has
  /// none at all. Further attempts, errors, log lines and warnings are events of spans. Identifiers are made from the
  /// record, so equal records have equal identifiers. Spans that are still open end with the last event. An item whose
  /// beginning or end the record has left out has no span: its other events are events of its group's span.
  ///
  /// - Parameter serviceName: The `service.name` of the spans' resource; the default is the flow's name.
  /// - Returns: JSON in UTF-8, in one line with a line break at its end, as the collector's file receiver reads it.
  public func openTelemetrySpans(serviceName: String? = nil) -> Data {
    OpenTelemetryWriter(self, serviceName: serviceName ?? flowName).data
  }
}

/// Writes a timeline as spans of OpenTelemetry.
private struct OpenTelemetryWriter {
  private let timeline: Timeline
  private let identifiers: SpanIdentifiers
  private var json = JSONText()
  private let notes: SpanNotes
  /// The recorded events of items and undos without spans, by the spans that show them.
  private let moments: [Int: [Timeline.Moment]]
  /// The number of events of each step that the record has left out.
  private let leftOut: [Int: Int]

  var data: Data { json.data }

  init(_ record: FlowRecord, serviceName: String) {
    timeline = Timeline(record)
    identifiers = SpanIdentifiers(record)
    notes = SpanNotes(record, timeline)
    moments = Dictionary(grouping: timeline.moments, by: \.owner)
    leftOut = record.events.reduce(into: [:]) { counts, event in
      if case .leftOut(let count, _) = event.kind, let step = event.step { counts[step, default: 0] &+= count }
    }
    json.reserve(timeline.spans.count * 600 + notes.count * 200)
    json.open()
    json.open("resourceSpans", array: true)
    json.open()
    json.open("resource")
    json.open("attributes", array: true)
    attribute("service.name", ValueText.cut(serviceName, limit: 200))
    json.close(array: true)
    json.close()
    json.open("scopeSpans", array: true)
    json.open()
    json.open("scope")
    json.put("name", "OperationFlow")
    json.close()
    json.open("spans", array: true)
    // A record without events, such as that of a run that ended in an earlier process, contains no times.
    for index in timeline.spans.indices where !record.events.isEmpty { span(index, record) }
    json.close(array: true)
    json.close()
    json.close(array: true)
    json.close()
    json.close(array: true)
    json.close()
    json.end()
  }

  private mutating func span(_ index: Int, _ record: FlowRecord) {
    let span = timeline.spans[index]
    json.open()
    json.put("traceId", identifiers.trace)
    json.put("spanId", identifiers.span(span.subject))
    if let parent = span.parent { json.put("parentSpanId", identifiers.span(timeline.spans[parent].subject)) }
    json.put("name", ValueText.cut(span.name))
    // SPAN_KIND_INTERNAL: no other process is involved.
    json.put("kind", 1)
    json.put("startTimeUnixNano", digitsOf: span.begin.nanoseconds)
    json.put("endTimeUnixNano", digitsOf: span.end.nanoseconds)
    json.open("attributes", array: true)
    attributes(span, record)
    json.close(array: true)
    events(span, notes[index], moments[index] ?? [], record)
    if span.state == .failed {
      json.open("status")
      json.put("code", 2)
      if let text = span.error?.errorText { json.put("message", ValueText.cut(text)) }
      json.close()
    }
    json.close()
  }

  private mutating func attributes(_ span: Timeline.Span, _ record: FlowRecord) {
    attribute("operationflow.state", span.state.rawValue)
    switch span.subject {
    case .run: attribute("operationflow.kind", "run")
    case .step(let step):
      attribute("operationflow.kind", record.steps[step].kind.name)
      attribute("operationflow.step.id", record.steps[step].id)
      if record.steps[step].attempts > 1 { attribute("operationflow.attempts", record.steps[step].attempts) }
      if let count = leftOut[record.steps[step].id] { attribute("operationflow.events.left_out", count) }
    case .item(let step, let item):
      attribute("operationflow.kind", "item")
      attribute("operationflow.step.id", record.steps[step].id)
      attribute("operationflow.item.index", item)
      if span.attempts.count > 1 { attribute("operationflow.attempts", span.attempts.count) }
    case .undo(let step, let item):
      attribute("operationflow.kind", "undo")
      attribute("operationflow.step.id", record.steps[step].id)
      if let item { attribute("operationflow.item.index", item) }
    }
  }

  // MARK: Events

  private mutating func events(
    _ span: Timeline.Span, _ notes: ArraySlice<Int>, _ moments: [Timeline.Moment], _ record: FlowRecord
  ) {
    let failures = span.isPassedOn ? [] : span.attempts.filter { $0.finish?.errorText != nil }
    let isFailedRun = span.subject == .run && span.error != nil && !span.isPassedOn
    guard span.attempts.count > 1 || !failures.isEmpty || !notes.isEmpty || !moments.isEmpty || isFailedRun
    else { return }
    json.open("events", array: true)
    for attempt in span.attempts {
      if span.attempts.count > 1, let time = attempt.begin {
        begin("attempt", at: time)
        attribute("operationflow.attempt", attempt.number)
        endEvent()
      }
      if let finish = attempt.finish, !span.isPassedOn {
        exception(finish, at: attempt.end ?? span.end, attempt: attempt.number)
      }
    }
    if isFailedRun, let finish = span.error { exception(finish, at: span.end, attempt: 1) }
    for note in notes {
      guard let (level, text) = record.events[note].kind.note else { continue }
      begin("log", at: record.events[note].time.microseconds)
      attribute("log.severity", level)
      attribute("log.message", ValueText.cut(text, limit: 4_000))
      endEvent()
    }
    for moment in moments { event(moment) }
    json.close(array: true)
  }

  /// Writes an event of an item or undo that has no span.
  private mutating func event(_ moment: Timeline.Moment) {
    let isUndo = if case .undo = moment.subject { true } else { false }
    begin((isUndo ? "undo" : "item") + (moment.finish == nil ? " started" : " ended"), at: moment.time)
    attribute("operationflow.name", moment.name)
    if moment.attempt > 1 { attribute("operationflow.attempt", moment.attempt) }
    if let text = moment.finish?.errorText { attribute("exception.message", ValueText.cut(text)) }
    endEvent()
  }

  private mutating func exception(_ finish: FlowEvent.Finish, at time: Int64, attempt: Int) {
    guard let text = finish.errorText else { return }
    begin("exception", at: time)
    attribute("exception.message", ValueText.cut(text))
    // A record doesn't contain the types of other errors.
    if let type = finish.errorType { attribute("exception.type", type) }
    if attempt > 1 { attribute("operationflow.attempt", attempt) }
    endEvent()
  }

  private mutating func begin(_ name: String, at time: Int64) {
    json.open()
    json.put("timeUnixNano", digitsOf: time.nanoseconds)
    json.put("name", name)
    json.open("attributes", array: true)
  }

  private mutating func endEvent() {
    json.close(array: true)
    json.close()
  }

  private mutating func attribute(_ key: String, _ text: String) {
    json.open()
    json.put("key", key)
    json.open("value")
    json.put("stringValue", text)
    json.close()
    json.close()
  }

  private mutating func attribute(_ key: String, _ number: Int) {
    json.open()
    json.put("key", key)
    json.open("value")
    json.put("intValue", digitsOf: number)
    json.close()
    json.close()
  }
}

/// The log lines and warnings of each span, by their positions in the record.
private struct SpanNotes {
  /// The positions of the first span's events, then of the second span's, and so on.
  private var positions: [Int]
  /// The end of each span's part of `positions`.
  private var ends: [Int]

  var count: Int { positions.count }

  init(_ record: FlowRecord, _ timeline: Timeline) {
    ends = [Int](repeating: 0, count: timeline.spans.count)
    let noted = record.events.indices.filter { record.events[$0].kind.note != nil }
    for position in noted { ends[timeline.owners[position]] += 1 }
    var sum = 0
    // Each element is first the beginning of the span's part, and becomes the end while the positions are filled in.
    for span in ends.indices { (ends[span], sum) = (sum, sum + ends[span]) }
    positions = [Int](repeating: 0, count: sum)
    for position in noted {
      let span = timeline.owners[position]
      positions[ends[span]] = position
      ends[span] += 1
    }
  }

  subscript(span: Int) -> ArraySlice<Int> { positions[(span == 0 ? 0 : ends[span - 1])..<ends[span]] }
}

extension Int64 {
  /// The microseconds in nanoseconds; 0 if the time is negative or too large for OpenTelemetry.
  fileprivate var nanoseconds: Int64 {
    let (product, isTooLarge) = multipliedReportingOverflow(by: 1_000)
    return isTooLarge ? 0 : Swift.max(0, product)
  }
}

extension FlowEvent.Kind {
  /// The level and the text of a log line or a warning; `nil` for other events.
  fileprivate var note: (level: String, text: String)? {
    switch self {
    case .logged(let text, let level): (level.description, text)
    case .warned(let text): ("warning", text)
    default: nil
    }
  }
}

extension FlowEvent.Finish {
  /// The type of the error, if it is the library's own; `nil` otherwise.
  fileprivate var errorType: String? {
    switch self {
    case .withInsufficientInputData, .withMismatchInputDataType: "OperationFlow.FlowError"
    case .successfully, .withError, .cancelled: nil
    }
  }
}
