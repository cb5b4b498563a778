import Foundation

/// Makes text safe as part of a line: it can't end the line, forge another, or change how it is shown.
package enum LineText {
  /// The text with control characters, separators of lines, and marks of direction escaped as in Swift, such as `\u{1B}`.
  package static func escaped(_ text: String) -> String {
    // Bytes check most texts quickly: what is escaped is a control character, or begins with one of three bytes.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }),
      text.unicodeScalars.contains(where: mustBeEscaped)
    else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if mustBeEscaped(scalar) { escaped += escape(scalar) } else { escaped.unicodeScalars.append(scalar) }
    }
    return escaped
  }

  /// The same for a text that may be a list, such as a refusal with several errors: its items stay lines of their own.
  package static func listed(_ text: String) -> String {
    text.components(separatedBy: listMark).map(escaped).joined(separator: "\n  - ")
  }

  package static let listMark = "\n- "

  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
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

/// Makes text safe between the quotes of a Mermaid diagram, where only Mermaid's own codes and Markdown can do harm.
package enum MermaidText {
  /// The first 100 characters in one line, which is never empty, with everything but letters, digits and what is harmless
  /// written as entity codes.
  package static func escaped(_ text: String, keeping punctuation: String = "_ -.,()…") -> String {
    guard !text.isEmpty else { return "(no name)" }
    return ValueText.cut(text, limit: 100).unicodeScalars.reduce(into: "") { escaped, scalar in
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || punctuation.unicodeScalars.contains(scalar) {
        escaped.unicodeScalars.append(scalar)
      } else {
        escaped += properties.generalCategory == .control || properties.isWhitespace ? " " : "#\(scalar.value);"
      }
    }
  }
}
