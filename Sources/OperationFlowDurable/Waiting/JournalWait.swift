import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry about a step that waits, with the date of its end, and with the message that the step has accepted.
struct JournalWait: Sendable {
  var step: Int
  var attempt: Int
  /// The date at which the step stops waiting; `nil` if the step waits for a signal without a timeout.
  var due: Date?
  /// The message that the step has accepted; `nil` before that.
  var message: MessageID?

  init(step: Int, attempt: Int, due: Date?, message: MessageID?) {
    (self.step, self.attempt, self.due, self.message) = (step, attempt, due, message)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    (step, attempt) = (try reader.count(), try reader.count())
    due = try reader.optional { reader throws(FlowError) in try reader.exactDate() }
    let id = try reader.optional { reader throws(FlowError) in try reader.text() }
    // Earlier versions left out the name. Without a message there is no name, and the bytes that follow are no part of
    // a wait.
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

/// The identity of a message among those of a run: the identifier from the sender is unique only for its signal.
struct MessageID: Sendable, Hashable {
  /// The name of the signal; `nil` if an entry of an earlier version doesn't have it.
  var signal: String?
  var id: String
}

/// An entry of a run that was suspended, because it needn't be resumed before it is due or is sent a signal.
struct JournalRest: Sendable, Equatable {
  /// The date at which the first of its steps is due; `nil` if all of them wait for signals alone.
  var due: Date?
  /// The number of entries that its mailbox had.
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
