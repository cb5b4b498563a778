/// The parts of a value, as far as the text shows them that Swift prints of it: `Login(user: "ann", token: 123456)`.
enum PrintedParts {
  /// The parts of a collection, a structure or a case with values: also the keys of a dictionary, but no labels or types.
  static func of(_ text: String) -> [String] {
    let scalars = Array(text.unicodeScalars)
    let head = scalars.firstIndex { $0 != "_" && $0 != "." && !$0.properties.isAlphabetic && !("0"..."9" ~= $0) }
    guard let head, scalars[head] == (head == 0 ? "[" : "(") else { return [] }
    var parts = [String]()
    var part = ""
    var brackets = [Unicode.Scalar]()
    var index = 0
    func end(_ isPart: Bool) {
      if isPart, !part.isEmpty { parts.append(part) }
      part = ""
    }
    while index < scalars.count {
      let scalar = scalars[index]
      index += 1
      switch scalar {
      case "\"": parts.append(quoted(in: scalars, &index))
      case "[", "(":
        end(false)
        brackets.append(scalar)
      case "]", ")":
        end(true)
        _ = brackets.popLast()
      case ",": end(true)
      case ":" where index < scalars.count && scalars[index] == " ": end(brackets.last == "[")
      case " " where part.isEmpty: break
      default: part.unicodeScalars.append(scalar)
      }
    }
    return parts
  }

  /// What is left of a text in quotation marks, without its escapes; the index is then after it.
  private static func quoted(in scalars: [Unicode.Scalar], _ index: inout Int) -> String {
    var text = ""
    while index < scalars.count {
      var scalar = scalars[index]
      index += 1
      if scalar == "\"" { break }
      if scalar == "\\", index < scalars.count {
        scalar = scalars[index]
        index += 1
        switch scalar {
        case "n": scalar = "\n"
        case "r": scalar = "\r"
        case "t": scalar = "\t"
        case "0": scalar = "\0"
        case "u":
          let digits = scalars[index...].prefix { $0 != "}" }
          index += digits.count + 1
          let code = digits.reduce(0 as UInt32) { $0 << 4 | UInt32(Character($1).hexDigitValue ?? 0) }
          scalar = Unicode.Scalar(code) ?? scalar
        default: break
        }
      }
      text.unicodeScalars.append(scalar)
    }
    return SecretTexts.withoutMark(text)
  }
}
