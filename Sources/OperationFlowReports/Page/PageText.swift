import Foundation

/// The texts of a page, in which all data is escaped for its place.
package enum PageText {
  /// Returns a text escaped for HTML and SVG, between tags or in a quoted attribute.
  ///
  /// Control characters, and marks that change the direction of writing, are replaced by their numbers.
  package static func html(_ text: String) -> String {
    guard text.utf8.contains(where: mayNeedEscape) else { return text }
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n", "\t": escaped.unicodeScalars.append(scalar)
      default:
        if isHidden(scalar) {
          escaped += number(scalar)
        } else {
          escaped.unicodeScalars.append(scalar)
        }
      }
    }
    return escaped
  }

  /// Returns a text in which invisible characters, and marks that change the direction of writing, have their numbers.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    return text.unicodeScalars.reduce(into: "") { shown, scalar in
      if isHidden(scalar) { shown += number(scalar) } else { shown.unicodeScalars.append(scalar) }
    }
  }

  /// Returns a text as a JSON string for a `<script>` element, without the characters `<`, `>` and `&`.
  static func json(_ text: String) -> String {
    guard text.utf8.contains(where: { mayNeedEscape($0) || $0 == 0x5C }) else { return "\"" + text + "\"" }
    var escaped = "\""
    escaped.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case _ where isHidden(scalar) || "<>&".unicodeScalars.contains(scalar):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }

  /// Returns a time after the run's start, such as `+0.012 s`, in a unit that depends on the length of the run.
  static func offset(_ microseconds: Int64, of length: Int64) -> String {
    func decimal(_ thousandths: Int64) -> String {
      let part = String(thousandths % 1_000)
      return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - part.count) + part
    }
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = max(microseconds, 0)
    let milliseconds = (time + 500) / 1_000
    switch length {
    case ..<1_000: return "+\(time) µs"
    case ..<1_000_000: return "+" + decimal(time) + " ms"
    case ..<Int64(3_600_000_000): return "+" + decimal(milliseconds) + " s"
    default:
      let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000)
      return "+\(minutes / 60):\(twoDigits(minutes % 60)):\(rest < 10_000 ? "0" : "")" + decimal(rest)
    }
  }

  /// Returns a count with a noun, such as `3 steps`.
  static func count(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    grouped(count) + " " + (count == 1 ? noun : plural ?? noun + "s")
  }

  /// Returns a count with commas between groups of three digits.
  static func grouped(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3), digit != "-" { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F, 0xC2, 0xD8, 0xE2: true
    default: false
    }
  }

  private static func number(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
