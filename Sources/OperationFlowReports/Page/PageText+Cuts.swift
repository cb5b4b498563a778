/// Texts that are too long to be shown as a whole.
extension PageText {
  /// At most this many characters of a text, with a mark if it continues.
  static func cut(_ text: String, _ limit: Int) -> String {
    guard let end = text.unicodeScalars.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
      end < text.endIndex
    else { return text }
    return String(text.unicodeScalars[..<end]) + "…"
  }

  /// A text as HTML, of which a few lines are shown if it is long, and all of it once it is opened.
  static func clamped(_ text: String, _ limit: Int = 200, lines: Int = 4) -> String {
    var (end, left) = (text.startIndex, lines)
    let scalars = text.unicodeScalars
    for index in scalars.indices.prefix(limit) {
      if scalars[index] == "\n" { left -= 1 }
      if left == 0 { break }
      end = scalars.index(after: index)
    }
    // What would be hidden must be worth the click.
    guard scalars[end...].count > 20 || left == 0 else { return "<bdi>" + html(text) + "</bdi>" }
    return "<details class=\"clamp\"><summary><bdi>" + html(String(scalars[..<end])) + "…</bdi></summary><bdi>"
      + html(text) + "</bdi></details>"
  }

  /// The end of a long text, such as that of a path, of which the last part tells the most.
  static func cutAtStart(_ text: String, _ limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let start = scalars.index(text.endIndex, offsetBy: -limit, limitedBy: text.startIndex),
      start > text.startIndex
    else { return text }
    return "…" + String(scalars[start...])
  }
}
