import Foundation

/// The time at which a server accepts a retry: its header field `Retry-After`, according to RFC 9110, section 10.2.3.
package enum RetryAfter {
  /// Reads the field.
  ///
  /// - Parameters:
  ///   - field: A number of seconds, or a date in one of the three forms of section 5.6.7.
  ///   - now: The time that a date is compared with; a date in the past means no delay.
  /// - Returns: The delay from now; nil if the field is neither a number nor a date.
  package static func delay(_ field: String, now: Date = Date()) -> Duration? {
    let text = field.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    // The digits are checked because `Int` also accepts a sign. A number that is too long is a very long time.
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(min(Int(text) ?? .max, longest))
    }
    for form in DateForm.allCases {
      guard let date = form.formatter.date(from: text) else { continue }
      return .seconds(min(max(0, date.timeIntervalSince(now)), Double(longest)))
    }
    return nil
  }

  /// The forms of a date; servers send the first, `Sun, 06 Nov 1994 08:49:37 GMT`, and clients accept all three.
  package enum DateForm: String, CaseIterable, Sendable {
    case current = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    case rfc850 = "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"
    case asctime = "EEE MMM d HH:mm:ss yyyy"

    fileprivate var formatter: DateFormatter {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = rawValue
      return formatter
    }
  }

  /// Returns a date as a server sends it.
  package static func text(_ date: Date, form: DateForm = .current) -> String { form.formatter.string(from: date) }

  /// A hundred years, in seconds.
  private static let longest = 3_155_760_000
}
