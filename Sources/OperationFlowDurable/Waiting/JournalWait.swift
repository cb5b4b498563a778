import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry about a step that waits: until when, and which message it has taken.
struct JournalWait: Sendable {
  var step: Int
  var attempt: Int
  /// When its time is over; `nil` if it has no time.
  var due: Date?
  /// The message that it has taken; `nil` before that.
  var message: MessageID?

  init(step: Int, attempt: Int, due: Date?, message: MessageID?) {
    (self.step, self.attempt, self.due, self.message) = (step, attempt, due, message)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    (step, attempt) = (try reader.count(), try reader.count())
    due = try reader.optional { reader throws(FlowError) in try reader.exactDate() }
    let id = try reader.optional { reader throws(FlowError) in try reader.text() }
    // Earlier versions had no name. Without a message there is none, and what follows isn't the wait's.
    let signal = id == nil || reader.isAtEnd ? nil : try reader.text()
    message = id.map { MessageID(signal: signal, id: $0) }
  }

  func write(to writer: inout JournalWriter) {
    writer.number(step)
    writer.number(attempt)
    writer.optional(due) { $0.exactDate($1) }
    writer.optional(message) { $0.text($1.id) }
    if let signal = message?.signal { writer.text(signal) }
  }
}

/// What identifies a message among those of a run: the identifier that its sender gave it belongs to its signal.
struct MessageID: Sendable, Hashable {
  /// The name of the signal; `nil` if an entry of an earlier version doesn't have it.
  var signal: String?
  var id: String
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
