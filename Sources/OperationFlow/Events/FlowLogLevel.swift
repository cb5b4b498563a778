/// The importance of a logged line.
public enum FlowLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Useful while looking for a fault.
  case debug
  /// Describes what happens.
  case info
  /// Something isn't as it should be, and the run continues.
  case warning
  /// Something failed.
  case error

  /// Compares importance.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
