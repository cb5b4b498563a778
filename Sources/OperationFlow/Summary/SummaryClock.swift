import Foundation

/// Formats dates; the formatter is made once for a summary, because making one costs more than many lines.
package final class SummaryClock {
  private let formatter = DateFormatter()
  package let isShown: Bool

  package init(style: FlowSummaryStyle) {
    isShown = style.timeStyle != .none
    // The fixed locale keeps the form the same everywhere, with a plain space before AM and PM.
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = style.timeZone
    formatter.dateFormat = style.timeStyle.format
  }

  /// The time and a space; nothing if times aren't shown.
  package func text(of date: Date) -> String { isShown ? formatter.string(from: date) + " " : "" }
}
