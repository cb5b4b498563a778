/// A file's name as the file system has it: bytes, which don't have to be UTF-8.
package struct FileName: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name; nil if its bytes aren't UTF-8.
  package let text: String?
  /// The name for output: control characters are escaped, and so are bytes that aren't UTF-8, as `\xFF`.
  package let description: String

  package init(bytes: [UInt8]) {
    let decoded = String(decoding: bytes, as: UTF8.self)
    // Decoding repairs a name that isn't UTF-8, so its bytes are different then.
    let isText = decoded.utf8.elementsEqual(bytes)
    text = isText ? decoded : nil
    description = Self.shown(bytes, escapingBackslashes: !isText)
  }

  private static func shown(_ bytes: [UInt8], escapingBackslashes: Bool) -> String {
    var text = ""
    var rest = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var position = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        position += encoded.count
        let scalar = Unicode.UTF8.decode(encoded)
        let isEscaped = scalar.properties.generalCategory == .control || (scalar == "\\" && escapingBackslashes)
        if isEscaped { text += scalar.escaped(asASCII: true) } else { text.unicodeScalars.append(scalar) }
      case .error(let length):
        for byte in bytes[position..<position + length] { text += "\\x" + String(byte, radix: 16, uppercase: true) }
        position += length
      case .emptyInput:
        return text
      }
    }
  }
}

extension Sequence<FileName> {
  /// The first twenty names, and the number of the others.
  package var listed: String { map(\.description).listed }
}

extension [String] {
  /// The first twenty texts, and the number of the others.
  package var listed: String {
    prefix(20).joined(separator: ", ") + (count > 20 ? " and \(count - 20) more" : "")
  }
}
