/// Texts as parts of a line: nothing in them can end it, forge another, or change how it is shown.
enum LineText {
  /// The text with what is no plain text written as Swift writes it, such as `\n` and `\u{1B}`.
  ///
  /// These are control characters, line and paragraph separators, and marks that change the direction of writing. All else
  /// stays as it is, so nearly every text comes back untouched.
  static func escaped(_ text: String) -> String {
    // Bytes tell most texts apart quickly: what is escaped is a control character, or begins with one of three bytes.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }),
      text.unicodeScalars.contains(where: mustBeEscaped)
    else { return text }
    return text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if mustBeEscaped(scalar) { escaped += escape(scalar) } else { escaped.unicodeScalars.append(scalar) }
    }
  }

  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Line and paragraph separators.
    case 0x2028, 0x2029: true
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
