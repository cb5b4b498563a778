import Foundation
import OperationFlow
import OperationFlowStorage

/// The end of a run, from which its outcome is made when the run is opened again.
struct JournalEnding: Sendable {
  enum Way: Sendable {
    case succeeded
    case failed(any Error)
    /// Cancelled by a call, a task or a progress (0, 1, 2), or by a step.
    case cancelled(cause: UInt8, Place?)
  }

  /// A step, or an item of a group.
  struct Place: Sendable {
    let name: String
    let step: Int?
    let item: Int?
    let attempt: Int
  }

  /// A failed item.
  struct Failure: Sendable {
    var place: Place
    var error: any Error
    /// The item; `nil` if it is sensitive, or can't be stored.
    var input: StoredBytes?
  }

  /// A recovery, an undo, or a failure of a step that always runs.
  struct Note: Sendable {
    var place: Place
    var error: (any Error)?
  }

  var date: Date
  var way: Way
  var duration: Duration
  var stepCount: Int
  var failure: Place?
  var failureDuration: Duration
  var data: [StoredWrite]
  var itemFailures: [Failure]
  var recoveries: [Note]
  var undos: [Note]
  var alwaysFailures: [Note]
}

extension JournalEnding {
  init(_ reader: inout JournalReader) throws(FlowError) {
    date = try reader.date()
    switch try reader.byte() {
    case 0: way = .succeeded
    case 1: way = .failed(try reader.error())
    case 2:
      let cause = try reader.byte()
      way = .cancelled(cause: cause, try reader.optional { reader throws(FlowError) in try Place(&reader) })
    default: throw .unreadableEntry
    }
    duration = try reader.duration()
    stepCount = try reader.count()
    failure = try reader.optional { reader throws(FlowError) in try Place(&reader) }
    failureDuration = try reader.duration()
    data = try reader.list { reader throws(FlowError) in try StoredWrite(&reader) }
    itemFailures = try reader.list { reader throws(FlowError) in
      Failure(
        place: try Place(&reader), error: try reader.error(),
        input: try reader.optional { reader throws(FlowError) in try StoredBytes(&reader) })
    }
    let note = { (reader: inout JournalReader) throws(FlowError) -> Note in
      Note(place: try Place(&reader), error: try reader.optional { reader throws(FlowError) in try reader.error() })
    }
    (recoveries, undos, alwaysFailures) = (try reader.list(note), try reader.list(note), try reader.list(note))
  }

  func write(to writer: inout JournalWriter) {
    writer.date(date)
    switch way {
    case .succeeded: writer.byte(0)
    case .failed(let error):
      writer.byte(1)
      writer.error(error)
    case .cancelled(let cause, let place):
      writer.byte(2)
      writer.byte(cause)
      writer.optional(place) { $1.write(to: &$0) }
    }
    writer.duration(duration)
    writer.number(stepCount)
    writer.optional(failure) { $1.write(to: &$0) }
    writer.duration(failureDuration)
    writer.list(data) { $1.write(to: &$0) }
    writer.list(itemFailures) { writer, failure in
      failure.place.write(to: &writer)
      writer.error(failure.error)
      writer.optional(failure.input) { $1.write(to: &$0) }
    }
    for notes in [recoveries, undos, alwaysFailures] {
      writer.list(notes) { writer, note in
        note.place.write(to: &writer)
        writer.optional(note.error) { $0.error($1) }
      }
    }
  }
}

extension JournalEnding.Place {
  init(_ reader: inout JournalReader) throws(FlowError) {
    let name = try reader.text()
    let number = { (reader: inout JournalReader) throws(FlowError) -> Int in try reader.count() }
    let (step, item) = (try reader.optional(number), try reader.optional(number))
    self.init(name: name, step: step, item: item, attempt: try reader.count())
  }

  func write(to writer: inout JournalWriter) {
    writer.name(name)
    writer.optional(step) { $0.number($1) }
    writer.optional(item) { $0.number($1) }
    writer.number(attempt)
  }
}
