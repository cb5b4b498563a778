import Foundation

/// A line that an operation, a step or a flow logged, as it is sent on.
public struct FlowLogLine: Sendable {
  /// When it was logged.
  public let date: Date
  /// How important it is.
  public let level: FlowLogLevel
  /// Who logged it.
  public let source: FlowEvent.Source
  /// The line; newlines and control characters in it are escaped, as in a summary.
  public let message: String

  /// The line of an event, where it is one.
  init?(_ event: FlowEvent) {
    switch event.kind {
    case .logged(let message, let level): (self.message, self.level) = (LineText.escaped(message), level)
    case .warned(let message): (self.message, self.level) = (LineText.escaped(message), .warning)
    default: return nil
    }
    date = event.date
    source = event.source
  }
}

/// Where the lines that operations log are sent as they happen, beside the record that keeps them.
public struct FlowLogHandler: Sendable {
  let handle: @Sendable (FlowLogLine) -> Void

  /// To a closure, which is how another logging library is plugged in.
  ///
  /// - Parameter handle: Called where lines are logged, one at a time within a run; several runs may call it at once.
  /// - Returns: The handler.
  public static func closure(_ handle: @escaping @Sendable (FlowLogLine) -> Void) -> FlowLogHandler {
    FlowLogHandler(handle: handle)
  }

  /// To standard error, a line each, with the time in UTC: `2026-01-31T16:17:18Z info [LoginOp] logged in`.
  public static let standardError = FlowLogHandler { line in
    let text = "\(line.date.formatted(.iso8601)) \(line.level) \(line.source) \(line.message)\n"
    // Standard error may be closed, as it is for daemons.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// To the unified log on Apple's systems, and to standard error elsewhere.
  ///
  /// - Parameters:
  ///   - subsystem: The unified log's subsystem, such as a bundle identifier.
  ///   - category: The unified log's category.
  /// - Returns: The handler.
  public static func unifiedLog(subsystem: String, category: String = "flow") -> FlowLogHandler {
    guard let log = UnifiedLog(subsystem: subsystem, category: category) else { return .standardError }
    return .closure { line in
      log.send(line.message, from: line.source.description, UnifiedLog.Level(rawValue: line.level.rawValue) ?? .info)
    }
  }
}

extension Flow {
  /// Sends every line that the coming runs log on to a handler as well; none unless this is called.
  ///
  /// - Parameters:
  ///   - handler: Where the lines go.
  ///   - level: The least important level that is sent on.
  /// - Returns: The flow.
  @discardableResult
  public func sendLog(to handler: FlowLogHandler, from level: FlowLogLevel = .info) -> Flow {
    observe { event in
      if let line = FlowLogLine(event), line.level >= level { handler.handle(line) }
    }
  }
}
