/// How important a logged line is.
public enum FlowLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Of use while looking for a fault.
  case debug
  /// Tells what happens.
  case info
  /// Not as it should be, and the run goes on.
  case warning
  /// Something failed.
  case error

  /// Compares importance.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
