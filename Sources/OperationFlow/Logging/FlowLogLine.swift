import Foundation

/// A line of a run's log: what an operation, a step or a flow logged, a warning, or the failure of a step or an item.
public struct FlowLogLine: Sendable {
  /// The time when the line was logged.
  public let date: Date
  /// The importance of the line: an error if a step or an item failed, a warning if another attempt follows.
  public let level: FlowLogLevel
  /// The step or item that logged it, or that failed: a name and, in a group, the item's index.
  public let source: FlowEvent.Source
  /// The path of the step that logged it or that failed; `nil` if no step did, such as for the flow itself.
  public let path: FlowPath?
  /// The number of the step's or item's attempt, counted from 1.
  public let attempt: Int
  /// The text of the line, with control characters escaped as in a summary; the text of a failure ends with the error.
  public let message: String
  /// The text of the error that a step, an item or one of their attempts failed with; `nil` if nothing failed.
  ///
  /// It is the text that the record has, with sensitive values redacted.
  public let error: String?

  /// The line of an event; `nil` if it has none, as for values and successes.
  package init?(_ event: FlowEvent) {
    switch event.kind {
    case .logged(let message, let level):
      self.message = LineText.escaped(message)
      self.level = level
      error = nil
    case .warned(let message):
      self.message = LineText.escaped(message)
      self.level = .warning
      error = nil
    case .finished(let finish):
      // A flow fails because of a step in it, which already has its line.
      guard let error = finish.errorText.map(LineText.escaped), !event.isPassedOn else { return nil }
      self.error = error
      level = event.isRetried || event.isRecovering ? .warning : .error
      let next = event.isRetried ? "trying again" : "recovering"
      message = level == .warning ? "attempt \(event.attempt) failed, \(next): \(error)" : "failed: \(error)"
    default: return nil
    }
    date = event.date
    source = event.source
    path = event.path
    attempt = event.attempt
  }
}
