/// The width of a text in a terminal, in columns.
///
/// Characters with the East Asian width W or F (Unicode Standard Annex #11), and emoji, are two columns wide.
enum DisplayWidth {
  /// Returns the number of columns.
  static func of(_ text: String) -> Int {
    // Most texts are ASCII: one byte is one column.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns the text cut to a number of columns, with a mark in the last one if it is cut.
  static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var (result, used) = ("", 0)
    for character in text {
      let width = width(of: character)
      // The mark needs one column.
      if used + width > columns - 1 { break }
      result.append(character)
      used += width
    }
    return columns < 1 ? "" : result + "…"
  }

  private static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    let hasEmojiSelector = character.unicodeScalars.contains { $0.value == 0xFE0F }
    if hasEmojiSelector || first.properties.isEmojiPresentation || isWide(first) { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return 1
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Hangul Jamo, CJK with its symbols, Hiragana, Katakana, Yi, and Hangul syllables.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3:
      true
    // Compatibility ideographs and forms, fullwidth forms, Tangut, kana supplements, and the planes of ideographs.
    case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18AFF,
      0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
