import Foundation
import OperationFlow

extension FlowRecord {
  /// Returns the run as a timeline in the trace-event format, which Perfetto and the browsers' profilers open.
  ///
  /// Steps, items, attempts and undos are slices, on as many tracks as there was work at once. Writes, log lines and
  /// warnings are instants, and counters show how many items of each group have ended. Slices that are still open end
  /// with the last event. If the record has left out the beginning or the end of an item, the item's other events are
  /// instants. Times are in microseconds since 1970.
  ///
  /// - Returns: JSON in UTF-8.
  public func traceEvents() -> Data { TraceWriter(self).data }
}

/// Writes a timeline in the trace-event format.
private struct TraceWriter {
  private let timeline: Timeline
  private let lanes: [Int]
  private var json = JSONText()

  /// The number of the only process.
  private static let process = 1

  var data: Data { json.data }

  init(_ record: FlowRecord) {
    timeline = Timeline(record)
    let placed = TimelineLanes(timeline.spans)
    lanes = placed.lanes
    json.open()
    json.put("displayTimeUnit", "ms")
    json.open("traceEvents", array: true)
    name("process_name", record.flowName, 0)
    for lane in 0..<placed.count { name("thread_name", lane == 0 ? "run" : "lane \(lane)", lane) }
    for (span, lane) in zip(timeline.spans, lanes) { slices(span, lane, record) }
    instants(record)
    for moment in timeline.moments { instant(moment, record) }
    counters(record)
    json.breakLineAtEnd()
    json.close(array: true)
    json.close()
    json.end()
  }

  /// Opens an event; the caller adds its other fields and closes it.
  private mutating func begin(_ name: String, _ phase: String, _ lane: Int, at time: Int64?) {
    json.breakLine()
    json.open()
    json.put("name", ValueText.cut(name))
    json.put("ph", phase)
    json.put("pid", Self.process)
    json.put("tid", lane + 1)
    if let time { json.put("ts", time) }
  }

  private mutating func name(_ kind: String, _ name: String, _ lane: Int) {
    begin(kind, "M", lane, at: nil)
    json.open("args")
    json.put("name", ValueText.cut(name, limit: 200))
    json.close()
    json.close()
  }

  // MARK: Slices

  private mutating func slices(_ span: Timeline.Span, _ lane: Int, _ record: FlowRecord) {
    slice(span.name, span.subject.category, lane, span.begin, span.end)
    json.open("args")
    json.put("state", span.state.words)
    switch span.subject {
    case .run: break
    case .step(let step), .item(let step, _), .undo(let step, _):
      json.put("step", record.steps[step].id)
      if case .step = span.subject { json.put("kind", record.steps[step].kind.name) }
    }
    if let text = span.error?.errorText { json.put("error", text) }
    json.close()
    json.close()
    guard span.attempts.count > 1 else { return }
    for attempt in span.attempts {
      guard let times = attempt.times(in: span) else { continue }
      slice("attempt \(attempt.number)", "attempt", lane, times.begin, times.end)
      json.open("args")
      if let text = attempt.finish?.errorText { json.put("error", text) }
      json.close()
      json.close()
    }
  }

  private mutating func slice(_ name: String, _ category: String, _ lane: Int, _ begin: Int64, _ end: Int64) {
    self.begin(name, "X", lane, at: begin)
    json.put("cat", category)
    json.put("dur", max(0, end - begin))
  }

  // MARK: Instants and counters

  private mutating func instants(_ record: FlowRecord) {
    for (event, owner) in zip(record.events, timeline.owners) {
      guard let (name, category, text) = event.kind.instant else { continue }
      begin(name, "i", lanes[owner], at: event.time.microseconds)
      json.put("cat", category)
      json.put("s", "t")
      json.open("args")
      if !text.isEmpty { json.put("text", ValueText.cut(text)) }
      json.close()
      json.close()
    }
  }

  /// Writes an event of an item or undo that has no slice.
  private mutating func instant(_ moment: Timeline.Moment, _ record: FlowRecord) {
    begin("\(moment.name) \(moment.finish == nil ? "started" : "ended")", "i", lanes[moment.owner], at: moment.time)
    json.put("cat", moment.subject.category)
    json.put("s", "t")
    json.open("args")
    json.put("text", "the record has left out the rest")
    if moment.attempt > 1 { json.put("attempt", moment.attempt) }
    if let text = moment.finish?.errorText { json.put("error", text) }
    json.close()
    json.close()
  }

  private mutating func counters(_ record: FlowRecord) {
    var counts: [Int: Int] = [:]
    for event in record.events {
      guard let step = event.step, event.endedItemCount > 0 else { continue }
      let count = counts[step, default: 0] + event.endedItemCount
      counts[step] = count
      let name = ValueText.cut(record.step(step)?.name ?? event.source.name, limit: 200)
      begin("\(name), items ended", "C", 0, at: event.time.microseconds)
      json.put("id", step)
      json.open("args")
      json.put("count", count)
      json.close()
      json.close()
    }
  }
}

extension FlowEvent {
  /// The number of items that ended with this event, without a further attempt.
  fileprivate var endedItemCount: Int {
    switch kind {
    case .finished where source.item != nil: isRetried || isRecovering ? 0 : 1
    case .recovered where source.item != nil: 1
    case .leftOut(_, let items): items
    default: 0
    }
  }
}

extension Timeline.Span.Subject {
  fileprivate var category: String {
    switch self {
    case .run: "run"
    case .step: "step"
    case .item: "item"
    case .undo: "undo"
    }
  }
}

extension FlowEvent.Kind {
  /// The name, the category and the text of an instant; `nil` for the beginnings and ends of slices.
  fileprivate var instant: (name: String, category: String, text: String)? {
    switch self {
    case .logged(let text, let level): (level.description, "log", text)
    case .warned(let text): ("warning", "log", text)
    case .progressed(let step): ("step \(step)", "progress", "")
    case .added(let name, let text): ("add \(name)", "data", text)
    case .replaced(let name, _, let text): ("replace \(name)", "data", text)
    case .removed(let name, _): ("remove \(name)", "data", "")
    case .caseChosen(let text): ("chosen \(text)", "step", "")
    case .noCaseMatched(let held): ("no case matched", "step", held)
    case .skipped(let held): ("skipped", "step", held)
    case .recovered(let finish): ("recovered", "step", finish.errorText ?? "")
    case .endedLate: ("ended late", "step", "")
    case .groupStopped: ("group stopped", "step", "")
    case .paused: ("paused", "run", "")
    case .resumed: ("resumed", "run", "")
    case .cancelRequested: ("cancel requested", "run", "")
    case .leftOut(let events, let items):
      (
        ValueText.count(events, "event") + " left out", "run",
        ValueText.count(items, "item") + " ended in " + (events == 1 ? "it" : "them")
      )
    case .flowStarted, .flowFinished, .started, .finished, .undoStarted, .undoFinished, .groupCreated, .groupStarted,
      .groupIsEmpty, .groupFinished:
      nil
    }
  }
}
