import Foundation

/// How a summary shows times, and whether it lists what a group's items write.
public struct FlowSummaryStyle: Sendable {
  /// The form of a time.
  public struct TimeStyle: Sendable, Hashable {
    let format: String

    /// `4:17:18 PM`, the predecessor's form.
    public static let standard = TimeStyle(format: "h:mm:ss a")
    /// `16:17:18.042`.
    public static let milliseconds = TimeStyle(format: "HH:mm:ss.SSS")
    /// `2026-01-31T16:17:18.042+0100`.
    public static let iso8601 = TimeStyle(format: "yyyy-MM-dd'T'HH:mm:ss.SSSZ")

    /// No time at all.
    public static let none = TimeStyle(format: "")

    /// Returns a form of your own.
    ///
    /// - Parameter format: A date format as `DateFormatter` takes it (Unicode Technical Standard #35).
    /// - Returns: The style.
    public static func custom(_ format: String) -> TimeStyle { TimeStyle(format: format) }
  }

  /// The form of a time.
  public var timeStyle: TimeStyle
  /// The zone in which times are shown.
  public var timeZone: TimeZone
  /// Whether there are lines for what a group's items write for themselves; the predecessor's form has none.
  public var showsItemWrites: Bool

  /// Makes a style.
  ///
  /// - Parameters:
  ///   - timeStyle: The form of a time.
  ///   - timeZone: The zone in which times are shown.
  ///   - showsItemWrites: Whether there are lines for what a group's items write for themselves.
  public init(timeStyle: TimeStyle = .standard, timeZone: TimeZone = .current, showsItemWrites: Bool = false) {
    self.timeStyle = timeStyle
    self.timeZone = timeZone
    self.showsItemWrites = showsItemWrites
  }

  /// `4:17:18 PM`, in the current time zone, without what a group's items write for themselves.
  public static var standard: FlowSummaryStyle { FlowSummaryStyle() }

  /// Lines without times, which a test can compare with a text.
  public static var withoutTimes: FlowSummaryStyle { FlowSummaryStyle(timeStyle: .none) }
}
