import Foundation

/// How a summary shows times.
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

    /// A form of your own.
    ///
    /// - Parameter format: A date format as `DateFormatter` takes it (Unicode Technical Standard #35).
    /// - Returns: The style.
    public static func custom(_ format: String) -> TimeStyle { TimeStyle(format: format) }
  }

  /// The form of a time.
  public var timeStyle: TimeStyle
  /// The zone in which times are shown.
  public var timeZone: TimeZone

  /// Makes a style.
  ///
  /// - Parameters:
  ///   - timeStyle: The form of a time.
  ///   - timeZone: The zone in which times are shown.
  public init(timeStyle: TimeStyle = .standard, timeZone: TimeZone = .current) {
    self.timeStyle = timeStyle
    self.timeZone = timeZone
  }

  /// `4:17:18 PM`, in the current time zone.
  public static var standard: FlowSummaryStyle { FlowSummaryStyle() }
}
