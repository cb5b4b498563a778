#if canImport(Darwin)
  import os
#endif

/// Apple's unified log.
struct UnifiedLog: Sendable {
  /// The importance of a line, with cases in order of importance.
  enum Level: Int {
    case debug, info, warning, error
  }

  #if canImport(Darwin)
    private let logger: Logger

    /// `nil` on systems that don't have the unified log.
    init?(subsystem: String, category: String) { logger = Logger(subsystem: subsystem, category: category) }

    /// Sends a line; its source is public and its message is private.
    func send(_ message: String, from source: String, _ level: Level) {
      let type: OSLogType =
        switch level {
        case .debug: .debug
        case .info: .info
        case .warning: .default
        case .error: .error
        }
      logger.log(level: type, "\(source, privacy: .public) \(message)")
    }
  #else
    /// `nil` on systems that don't have the unified log.
    init?(subsystem: String, category: String) { return nil }

    /// Sends a line; its source is public and its message is private.
    func send(_ message: String, from source: String, _ level: Level) {}
  #endif
}
