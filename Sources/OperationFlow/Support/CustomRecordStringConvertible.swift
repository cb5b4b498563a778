/// A value that provides its own text for records, summaries and errors.
///
/// A value without it is shown as Swift prints it. Conform if that text would be too long or contain secrets:
///
/// ```swift
/// extension Account: CustomRecordStringConvertible {
///   var recordDescription: String { "account \(number)" }
/// }
/// ```
public protocol CustomRecordStringConvertible {
  /// The value's text, of which the first 1,000 characters are shown; read at most once for each write, on any thread.
  var recordDescription: String { get }
}
