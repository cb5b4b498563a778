#if canImport(Darwin)
  import os
#endif

/// Returns what sends a line to Apple's unified log, with a public source and the number of its level, from 0 for debugging
/// to 3 for errors; `nil` where there is no such log.
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
