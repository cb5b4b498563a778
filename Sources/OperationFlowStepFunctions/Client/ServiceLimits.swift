/// The limits of the service.
///
/// Source: "Quotas" in the AWS Step Functions Developer Guide, and `SendTaskFailure` in its API reference.
package enum ServiceLimits {
  /// The maximum number of bytes of an input or output.
  package static let payload = 256 * 1024

  /// Returns the name of an error, cut to 256 characters.
  package static func errorName(_ text: String) -> String { head(of: text, limit: 256) }

  /// Returns a cause, cut to 32,768 characters.
  package static func cause(_ text: String) -> String { head(of: text, limit: 32_768) }

  /// Returns the longest beginning of a text that has at most `limit` UTF-16 units, without breaking a character.
  ///
  /// A text that is cut ends in an ellipsis. UTF-16 units are a safe measure: no count of characters is higher.
  private static func head(of text: String, limit: Int) -> String {
    guard text.utf16.count > limit else { return text }
    var head = ""
    var room = limit - 1
    for character in text {
      room -= character.utf16.count
      if room < 0 { break }
      head.append(character)
    }
    return head + "…"
  }
}
