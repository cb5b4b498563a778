import Foundation
import OperationFlow

/// The times at which the steps of a record began and ended, and how long they waited, found in the record's events.
package struct RecordTimes: Sendable {
  /// A period of time.
  package struct Span: Sendable, Hashable {
    package var start: Date
    package var end: Date

    package var duration: Duration { .seconds(max(0, end.timeIntervalSince(start))) }

    fileprivate mutating func include(_ other: Span) {
      start = min(start, other.start)
      end = max(end, other.end)
    }
  }

  /// The period from the first to the last event of each step, including the steps within it.
  package private(set) var spans: [Int: Span] = [:]
  /// The time at which each step could have begun: the end of the step before it, or else the start of its parent.
  private var ready: [Int: Date] = [:]

  package init(_ record: FlowRecord) {
    var undone: Set<Int> = []
    for event in record.events {
      guard let step = event.step else { continue }
      let moment = Span(start: event.time, end: event.time)
      // Undos run after everything else, and don't count. Events that were left out may be events of undos.
      if event.kind.isUndo { undone.insert(step) }
      if undone.contains(step) || event.kind.isLeftOut { continue }
      if spans[step]?.include(moment) == nil { spans[step] = moment }
    }
    let begun = spans.mapValues(\.start)
    // In a record, a step precedes the steps within it, so this order merges the innermost first.
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

  /// Finds `ready`; `begun` has the time of each step's own first event, without the steps within it.
  private mutating func findReady(_ record: FlowRecord, begun: [Int: Date]) {
    // The end of the last step of each block so far; -1 is the outermost block.
    var ends: [Int: Date] = [-1: record.events.first?.time ?? .distantPast]
    for step in record.steps {
      let block = step.parent ?? -1
      if step.kind == .branch {
        // A branch is ready when its parent has begun.
        ends[step.id] = begun[block] ?? ready[block]
        continue
      }
      ready[step.id] = ends[block] ?? ready[block]
      if let span = spans[step.id] { ends[block] = span.end }
    }
  }
}

extension FlowEvent.Kind {
  /// True if the event is the start or the end of an undo.
  fileprivate var isUndo: Bool {
    switch self {
    case .undoStarted, .undoFinished: true
    default: false
    }
  }
}
