import Foundation
import OperationFlow

/// The encoded form of an event; decoding it is the way to make an event in this module.
struct WrittenEvent: Encodable {
  /// A name in the data bucket, with its value's text.
  struct Item: Encodable, Equatable {
    let name: String
    let text: String
  }

  var number = 0
  let time: Int64
  let event: String
  let name: String
  var step: Int?
  var item: Int?
  var attempt: Int?
  var meaning: String?
  var end: String?
  var text: String?
  var count: Int?
  var data: [Item]?
  var key: String?
  var old: String?
  var new: String?

  init(_ event: StepFunctionsEvent, _ kind: String, _ name: String, data: [Item]? = nil) {
    (time, self.event, self.name, self.data) = (event.date.microseconds, kind, name, data)
  }

  /// Creates the event of a write; `step` is `nil` if the writer isn't known.
  init(_ event: StepFunctionsEvent, _ change: HistoryValues.Change, step: Int?, attempt: Int) {
    let kind = change.old == nil ? "added" : change.new == nil ? "removed" : "replaced"
    self.init(event, kind, "DataBucket")
    (self.step, self.attempt) = (step, attempt)
    (key, old, new) = (change.name, change.old, change.new)
  }
}
