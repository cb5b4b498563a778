#if canImport(Darwin)
  import os

  /// Apple's unified log.
  enum UnifiedLog {
    static func handler(subsystem: String, category: String) -> FlowLogHandler {
      let logger = Logger(subsystem: subsystem, category: category)
      return .closure { line in
        logger.log(level: line.level.osLogType, "\(line.source.description, privacy: .public) \(line.message)")
      }
    }
  }

  extension FlowLogLevel {
    fileprivate var osLogType: OSLogType {
      switch self {
      case .debug: .debug
      case .info: .info
      case .warning: .default
      case .error: .error
      }
    }
  }
#else
  /// There is no unified log here: lines go to standard error.
  enum UnifiedLog {
    static func handler(subsystem: String, category: String) -> FlowLogHandler { .standardError }
  }
#endif
