#if canImport(Darwin)
  import os
#endif

/// Apple's unified log.
struct UnifiedLog: Sendable {
  #if canImport(Darwin)
    private let logger: Logger

    init?(subsystem: String, category: String) { logger = Logger(subsystem: subsystem, category: category) }

    /// Sends a line with a public source, and the number of its level, from 0 for debugging to 3 for errors.
    func send(_ message: String, from source: String, level: Int) {
      let type: OSLogType =
        switch level {
        case 0: .debug
        case 1: .info
        case 2: .default
        default: .error
        }
      logger.log(level: type, "\(source, privacy: .public) \(message)")
    }
  #else
    /// `nil` on systems that don't have the unified log.
    init?(subsystem: String, category: String) { return nil }

    func send(_ message: String, from source: String, level: Int) {}
  #endif
}
