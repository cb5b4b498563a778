import Foundation

/// The style of a summary: its form, its times, and the choice to list the values that a group's items write.
public struct FlowSummaryStyle: Sendable {
  /// The form of a summary: a line for each event, or a line for each step.
  ///
  /// With `import OperationFlowReports`, there is also the form `detailed`. Later versions may add more.
  public struct Form: Sendable, Hashable {
    private let name: String
    let text: @Sendable (FlowRecord, FlowSummaryStyle) -> String

    package init(_ name: String, _ text: @escaping @Sendable (FlowRecord, FlowSummaryStyle) -> String) {
      self.name = name
      self.text = text
    }

    /// A line for each event, as in Flow-iOS.
    public static let events = Form("events") { $0.lines(style: $1, folds: false) }
    /// A line for each event, for people: groups with more than 20 items are folded, and days are shown.
    ///
    /// A folded group has lines with the counts, the slowest items, the retried items, and the first 20 that failed. If
    /// the run lasted several days, a line with the date precedes the events of each.
    public static let folded = Form("folded") { $0.lines(style: $1, folds: true) }
    /// A line for each step with its duration, attempts and outcome; the cause of a failure is at the top.
    ///
    /// Lines have at most 100 characters. If there are more steps than lines, failed steps are listed first, then the
    /// least nested ones, and the others are counted.
    ///
    /// - Parameter lineLimit: The largest number of lines, at least 8.
    /// - Returns: The form.
    public static func brief(lineLimit: Int) -> Form {
      let limit = max(8, lineLimit)
      return Form("brief, \(limit) lines") { record, _ in BriefSummary(record, lineLimit: limit).text }
    }

    /// Compares names.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The form of a time.
  public struct TimeStyle: Sendable, Hashable {
    let format: String

    /// `4:17:18 PM`, the form of Flow-iOS.
    public static let standard = TimeStyle(format: "h:mm:ss a")
    /// `16:17:18.042`.
    public static let milliseconds = TimeStyle(format: "HH:mm:ss.SSS")
    /// `2026-01-31T16:17:18.042+0100`.
    public static let iso8601 = TimeStyle(format: "yyyy-MM-dd'T'HH:mm:ss.SSSZ")

    /// No time at all.
    public static let none = TimeStyle(format: "")

    /// Returns a form of your own.
    ///
    /// - Parameter format: A date format for `DateFormatter` (Unicode Technical Standard #35).
    /// - Returns: The style.
    public static func custom(_ format: String) -> TimeStyle { TimeStyle(format: format) }
  }

  /// The form of the summary.
  public var form: Form
  /// The form of a time.
  public var timeStyle: TimeStyle
  /// The zone in which times are shown.
  public var timeZone: TimeZone
  /// True if the values that a group's items write for themselves have lines; they have none in Flow-iOS.
  public var showsItemWrites: Bool

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - form: The form of the summary.
  ///   - timeStyle: The form of a time.
  ///   - timeZone: The zone in which times are shown.
  ///   - showsItemWrites: `true` to add lines for the values that a group's items write for themselves.
  public init(
    form: Form = .folded, timeStyle: TimeStyle = .standard, timeZone: TimeZone = .current, showsItemWrites: Bool = false
  ) {
    self.form = form
    self.timeStyle = timeStyle
    self.timeZone = timeZone
    self.showsItemWrites = showsItemWrites
  }

  /// The default style: `4:17:18 PM`, in the current time zone, with large groups folded, and without lines for items'
  /// own values.
  public static var standard: FlowSummaryStyle { FlowSummaryStyle() }

  /// The standard style, with a line for each event, as in Flow-iOS.
  public static var events: FlowSummaryStyle { FlowSummaryStyle(form: .events) }

  /// A line for each step, at most 24 of them, with the cause of a failure first.
  public static var brief: FlowSummaryStyle { FlowSummaryStyle(form: .brief(lineLimit: 24)) }

  /// The standard style without times, which a test can compare with a text.
  public static var withoutTimes: FlowSummaryStyle { FlowSummaryStyle(timeStyle: .none) }

  /// Returns a function that makes the text of a time, with a space after it.
  ///
  /// Call this once for a summary, because formatters are expensive.
  package func timeText() -> (Date) -> String {
    if timeStyle == .none { return { _ in "" } }
    // A formatter stops a program that can't open more files, which is a situation in which a summary is needed.
    if timeStyle == .standard { return { [timeZone] in Self.standardText(of: $0, in: timeZone) } }
    let formatter = DateFormatter()
    // The fixed locale makes the form the same everywhere, with a plain space before AM and PM.
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = timeZone
    formatter.dateFormat = timeStyle.format
    return { formatter.string(from: $0) + " " }
  }

  private static func standardText(of date: Date, in zone: TimeZone) -> String {
    let local = date.timeIntervalSince1970.rounded(.down) + Double(zone.secondsFromGMT(for: date))
    let second = Int(exactly: local - 86_400 * (local / 86_400).rounded(.down)) ?? 0
    func digits(_ number: Int) -> Substring { String(100 + number % 60).dropFirst() }
    let hour = (second / 3_600 + 11) % 12 + 1
    return "\(hour):\(digits(second / 60)):\(digits(second)) \(second < 43_200 ? "AM" : "PM") "
  }
}
