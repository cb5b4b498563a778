/// The parts of a value, as far as the text shows them that Swift prints of it: `Login(user: "ann", token: 123456)`.
enum PrintedParts {
  /// The parts of a collection, a structure or a case with values; none of any other text.
  ///
  /// Labels and the names of types are no parts, but the keys of a dictionary are.
  static func of(_ text: String) -> [String] {
    let head = text.unicodeScalars.prefix { $0 == "_" || $0 == "." || $0.properties.isAlphabetic || ("0"..."9") ~= $0 }
    let isComposed = text.first == "[" || (!head.isEmpty && text.unicodeScalars.dropFirst(head.count).first == "(")
    guard isComposed else { return [] }
    var (parts, part, brackets) = ([String](), "", [Character]())
    var rest = Substring(text)
    func end(_ isPart: Bool) {
      let trimmed = part.drop { $0 == " " }
      if isPart, !trimmed.isEmpty { parts.append(String(trimmed)) }
      part = ""
    }
    while let character = rest.popFirst() {
      switch character {
      case "\"": parts.append(takeQuoted(&rest))
      case "[", "(":
        end(false)
        brackets.append(character)
      case "]", ")":
        end(true)
        brackets.removeLast(brackets.isEmpty ? 0 : 1)
      case ",": end(true)
      case ":" where rest.first == " ": end(brackets.last == "[")
      default: part.append(character)
      }
    }
    return parts
  }

  /// Takes what is left of a text in quotation marks, without its escapes.
  private static func takeQuoted(_ rest: inout Substring) -> String {
    var text = ""
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\", let escaped = rest.popFirst() else {
        text.append(character)
        continue
      }
      switch escaped {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "0": text.append("\0")
      case "u" where rest.first == "{":
        let digits = rest.dropFirst().prefix { $0 != "}" }
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) { text.unicodeScalars.append(scalar) }
        rest = rest.dropFirst(digits.count + 2)
      default: text.append(escaped)
      }
    }
    // A text that was cut off ends in a mark.
    return text.hasSuffix("…") ? String(text.dropLast()) : text
  }
}
