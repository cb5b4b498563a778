#if canImport(Darwin)
  import os
#endif

/// Apple's unified log.
struct UnifiedLog: Sendable {
  #if canImport(Darwin)
    private let logger: Logger

    /// `nil` on systems that don't have the unified log.
    init?(subsystem: String, category: String) { logger = Logger(subsystem: subsystem, category: category) }

    /// Sends a line, the more important the higher its level from 0 to 3; its source is public, its message private.
    func send(_ message: String, from source: String, level: Int) {
      let types: [OSLogType] = [.debug, .info, .default, .error]
      logger.log(level: types[level], "\(source, privacy: .public) \(message)")
    }
  #else
    /// `nil` on systems that don't have the unified log.
    init?(subsystem: String, category: String) { return nil }

    /// Does nothing.
    func send(_ message: String, from source: String, level: Int) {}
  #endif
}
