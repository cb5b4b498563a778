import Foundation

extension FlowReport {
  /// The part of a step that took place before a durable run was resumed; its journal doesn't have when a step began.
  public enum BeforeResume: Sendable, Hashable, CustomStringConvertible {
    /// The step had begun, and ended after the resume, or not at all.
    case began
    /// The step had ended, at a time that may not be known.
    case ended(Date?)

    /// A text such as `ended before the resume, at 2026-11-23T10:15:02Z`.
    public var description: String {
      switch self {
      case .began: "began before the resume"
      case .ended(nil): "ended before the resume"
      case .ended(let date?): "ended before the resume, at \(date.formatted(.iso8601))"
      }
    }
  }
}
