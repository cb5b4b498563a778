import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry about a step that waits: until when, and which message it has taken.
struct JournalWait: Sendable {
  var step: Int
  var attempt: Int
  /// When its time is over; `nil` if it has no time.
  var due: Date?
  /// The identifier of the message that it has taken; `nil` before that.
  var message: String?

  init(step: Int, attempt: Int, due: Date?, message: String?) {
    (self.step, self.attempt, self.due, self.message) = (step, attempt, due, message)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    (step, attempt) = (try reader.count(), try reader.count())
    due = try reader.optional { reader throws(FlowError) in try reader.exactDate() }
    message = try reader.optional { reader throws(FlowError) in try reader.text() }
  }

  func write(to writer: inout JournalWriter) {
    writer.number(step)
    writer.number(attempt)
    writer.optional(due) { $0.exactDate($1) }
    writer.optional(message) { $0.text($1) }
  }
}

/// The entry of a run that was put away while it did nothing but wait: it need not be resumed before that.
struct JournalRest: Sendable, Equatable {
  /// When the first of its steps is due; `nil` if they wait for signals alone.
  var due: Date?
  /// How many entries its mailbox had.
  var messageCount: Int

  init(due: Date?, messageCount: Int) { (self.due, self.messageCount) = (due, messageCount) }

  init(_ reader: inout JournalReader) throws(FlowError) {
    due = try reader.optional { reader throws(FlowError) in try reader.exactDate() }
    messageCount = try reader.count()
  }

  func write(to writer: inout JournalWriter) {
    writer.optional(due) { $0.exactDate($1) }
    writer.number(messageCount)
  }
}
