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
