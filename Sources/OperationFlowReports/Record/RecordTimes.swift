import Foundation
import OperationFlow

/// When the steps of a record began and ended, and how long they waited: a fold over its events.
package struct RecordTimes: Sendable {
  /// A stretch of time.
  package struct Span: Sendable, Hashable {
    package var start: Date
    package var end: Date

    package var duration: Duration { .seconds(max(0, end.timeIntervalSince(start))) }

    fileprivate mutating func include(_ other: Span) {
      start = min(start, other.start)
      end = max(end, other.end)
    }
  }

  /// From the first to the last event of each step, with those within it.
  package private(set) var spans: [Int: Span] = [:]
  /// When each step could have begun: when the one before it had ended, or what contains it had begun.
  private var ready: [Int: Date] = [:]

  package init(_ record: FlowRecord) {
    var undone: Set<Int> = []
    for event in record.events {
      guard let step = event.step else { continue }
      let moment = Span(start: event.time, end: event.time)
      // Undoing comes after everything else, and what was left out may be of that.
      if event.kind.isUndo { undone.insert(step) }
      if undone.contains(step) || event.kind.isLeftOut { continue }
      if spans[step]?.include(moment) == nil { spans[step] = moment }
    }
    let begun = spans.mapValues(\.start)
    // Each step comes before those within it, so the innermost are merged first.
    for step in record.steps.reversed() {
      guard let parent = step.parent, let span = spans[step.id] else { continue }
      if spans[parent]?.include(span) == nil { spans[parent] = span }
    }
    findReady(record, begun: begun)
  }

  /// Returns how long a step waited before it began: for a thread, a permit, dependencies, or because the run was
  /// paused.
  package func waiting(of step: Int) -> Duration? {
    guard let ready = ready[step], let span = spans[step] else { return nil }
    return .seconds(max(0, span.start.timeIntervalSince(ready)))
  }

  /// `begun` has the first event of each step itself, without those within it.
  private mutating func findReady(_ record: FlowRecord, begun: [Int: Date]) {
    // The end of the last step of each block so far; -1 is the outermost block.
    var ends: [Int: Date] = [-1: record.events.first?.time ?? .distantPast]
    for step in record.steps {
      let block = step.parent ?? -1
      if step.kind == .branch {
        // What decides for a branch is an event of the step that it belongs to.
        ends[step.id] = begun[block] ?? ready[block]
        continue
      }
      ready[step.id] = ends[block] ?? ready[block]
      if let span = spans[step.id] { ends[block] = span.end }
    }
  }
}

extension FlowEvent.Kind {
  /// Whether it is about undoing, which happens after everything else.
  fileprivate var isUndo: Bool {
    switch self {
    case .undoStarted, .undoFinished: true
    default: false
    }
  }
}
