#if canImport(Darwin)
  import os
#endif

/// Returns a function that sends a line to Apple's unified log, with a public source, and a level from 0 (debug) to 3
/// (error).
///
/// It is `nil` on platforms without that log.
func unifiedLog(
  subsystem: String, category: String
) -> (@Sendable (_ message: String, _ source: String, _ level: Int) -> Void)? {
  #if canImport(Darwin)
    let logger = Logger(subsystem: subsystem, category: category)
    let types: [OSLogType] = [.debug, .info, .default, .error]
    return { message, source, level in logger.log(level: types[level], "\(source, privacy: .public) \(message)") }
  #else
    return nil
  #endif
}
