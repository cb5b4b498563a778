/// Makes text safe between the quotes of a Mermaid diagram, where only Mermaid's own codes and Markdown can do harm.
package enum MermaidText {
  /// The first 100 characters in one line, which is never empty, with everything but letters, digits and what is harmless
  /// written as entity codes.
  package static func escaped(_ text: String, keeping punctuation: String = "_ -.,()…") -> String {
    guard !text.isEmpty else { return "(no name)" }
    let kept = punctuation.unicodeScalars
    var escaped = ""
    for scalar in ValueText.cut(text, limit: 100).unicodeScalars {
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || kept.contains(scalar) {
        escaped.unicodeScalars.append(scalar)
      } else if properties.generalCategory == .control || properties.isWhitespace {
        escaped += " "
      } else {
        escaped += "#\(scalar.value);"
      }
    }
    return escaped
  }
}
