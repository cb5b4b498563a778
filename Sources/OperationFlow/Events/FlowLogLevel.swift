/// The importance of a logged line.
public enum FlowLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
  /// Useful while looking for a fault.
  case debug
  /// Describes what happens.
  case info
  /// Something isn't as it should be, and the run continues.
  case warning
  /// Something failed.
  case error

  /// The name of the level, such as `warning`, which a saved record has as well.
  public var description: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// Compares importance.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
