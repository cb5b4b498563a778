import Foundation

/// A receiver of the lines of a run's log, including failures, as they occur, in addition to the record.
public struct FlowLogHandler: Sendable {
  let handle: @Sendable (FlowLogLine) -> Void

  /// Sends the lines to a closure, such as one that calls another logging library.
  ///
  /// - Parameter handle: A closure that is called for each line, one at a time within a run; several runs may call it
  ///   at once.
  /// - Returns: The handler.
  public static func closure(_ handle: @escaping @Sendable (FlowLogLine) -> Void) -> FlowLogHandler {
    FlowLogHandler(handle: handle)
  }

  /// Sends each line to standard error, with the time in UTC: `2026-01-31T16:17:18Z info [LoginOp] logged in`.
  ///
  /// Line breaks and other control characters are written as `\n` and `\u{1B}`, so no value can look like a line.
  public static let standardError = FlowLogHandler { line in
    let text = LineText.escaped("\(line.level) \(line.source) \(line.message)")
    // Standard error may be closed, as it is for daemons.
    try? FileHandle.standardError.write(contentsOf: Array("\(line.date.formatted(.iso8601)) \(text)\n".utf8))
  }

  /// Sends the lines to the unified log on Apple's systems, and to standard error elsewhere.
  ///
  /// - Parameters:
  ///   - subsystem: The unified log's subsystem, such as a bundle identifier.
  ///   - category: The unified log's category.
  /// - Returns: The handler.
  public static func unifiedLog(subsystem: String, category: String = "flow") -> FlowLogHandler {
    guard let send = OperationFlow.unifiedLog(subsystem: subsystem, category: category) else { return .standardError }
    return .closure { line in send(line.message, line.source.description, line.level.rawValue) }
  }
}

extension Flow {
  /// Sends every line of later runs' logs to a handler as well; no lines are sent unless you call this.
  ///
  /// A failure of a step or an item is a line with the level `.error`, or `.warning` if another attempt or a recovery
  /// follows. Each failure is sent once: a flow that fails because of a step adds none.
  ///
  /// - Parameters:
  ///   - handler: The receiver of the lines.
  ///   - level: The least important level that is sent.
  /// - Returns: The flow.
  @discardableResult
  public func sendLog(to handler: FlowLogHandler, from level: FlowLogLevel = .info) -> Flow {
    observe { event in
      if let line = FlowLogLine(event), line.level >= level { handler.handle(line) }
    }
  }
}

/// A line of a run's log: what an operation, a step or a flow logged, a warning, or the failure of a step or an item.
public struct FlowLogLine: Sendable {
  /// The time when the line was logged.
  public let date: Date
  /// The importance of the line: for a failure, an error, or a warning if another attempt or a recovery follows.
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

  /// Creates the line of an event; `nil` if the event has none, as for values and successes.
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
