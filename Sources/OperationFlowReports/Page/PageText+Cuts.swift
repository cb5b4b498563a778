/// Texts that are too long to be shown as a whole.
extension PageText {
  /// Returns the first characters of a text, with a mark if the text is longer than the limit.
  static func cut(_ text: String, _ limit: Int) -> String {
    guard let end = text.unicodeScalars.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
      end < text.endIndex
    else { return text }
    return String(text.unicodeScalars[..<end]) + "…"
  }

  /// Returns a text as HTML; of a long text, the page shows a few lines until the reader opens it.
  static func clamped(_ text: String, _ limit: Int = 200, lines: Int = 4) -> String {
    var (end, left) = (text.startIndex, lines)
    let scalars = text.unicodeScalars
    for index in scalars.indices.prefix(limit) {
      if scalars[index] == "\n" { left -= 1 }
      if left == 0 { break }
      end = scalars.index(after: index)
    }
    // A hidden rest of up to 20 characters isn't worth a click.
    guard scalars[end...].count > 20 || left == 0 else { return "<bdi>" + html(text) + "</bdi>" }
    return "<details class=\"clamp\"><summary><bdi>" + html(String(scalars[..<end])) + "…</bdi></summary><bdi>"
      + html(text) + "</bdi></details>"
  }

  /// Returns the end of a long text, such as a path, whose last part is the most important.
  static func cutAtStart(_ text: String, _ limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let start = scalars.index(text.endIndex, offsetBy: -limit, limitedBy: text.startIndex),
      start > text.startIndex
    else { return text }
    return "…" + String(scalars[start...])
  }
}
