/// A value that says itself how the texts of records, summaries and errors show it.
///
/// Without it, a value is shown as Swift prints it. Conform if that holds too much, or what is secret:
///
/// ```swift
/// extension Account: CustomRecordStringConvertible {
///   var recordDescription: String { "account \(number)" }
/// }
/// ```
public protocol CustomRecordStringConvertible {
  /// The value's text, of which the first 1,000 characters are shown; it is asked for at most once for each write, from any thread.
  var recordDescription: String { get }
}
