/// A JSON value that is written with sorted keys, so that equal definitions have equal texts.
enum LanguageJSON: Sendable, Equatable {
  case object([String: LanguageJSON])
  case array([LanguageJSON])
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case null
  /// A value that is JSON already.
  case raw(String)

  /// The JSON text, indented by two spaces for each level.
  var text: String {
    var text = ""
    write(to: &text, indent: "")
    return text
  }

  private func write(to text: inout String, indent: String) {
    switch self {
    case .object(let members):
      if members.isEmpty { return text += "{}" }
      let inner = indent + "  "
      text += "{\n"
      for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        text += (place == 0 ? "" : ",\n") + inner + Self.quoted(member.key) + ": "
        member.value.write(to: &text, indent: inner)
      }
      text += "\n" + indent + "}"
    case .array(let elements):
      if elements.isEmpty { return text += "[]" }
      let inner = indent + "  "
      text += "[\n"
      for (place, element) in elements.enumerated() {
        text += (place == 0 ? "" : ",\n") + inner
        element.write(to: &text, indent: inner)
      }
      text += "\n" + indent + "]"
    case .text(let value): text += Self.quoted(value)
    case .integer(let value): text += String(value)
    case .number(let value): text += String(value)
    case .boolean(let value): text += value ? "true" : "false"
    case .null: text += "null"
    case .raw(let json): text += json
    }
  }

  /// Returns a text in quotes, with the characters escaped that JSON doesn't allow.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension LanguageJSON: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  init(stringLiteral value: String) { self = .text(value) }
  init(dictionaryLiteral elements: (String, LanguageJSON)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
  init(arrayLiteral elements: LanguageJSON...) { self = .array(elements) }
}
