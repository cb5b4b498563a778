import Foundation

/// The name of a file for any text: no two texts have the same name, even if case doesn't count, and none leaves its
/// folder.
package enum EscapedName {
  /// The maximum number of bytes in a name, on all file systems that are in use.
  private static let limit = 255

  /// Returns the name for a text: everything but lowercase letters, digits, `-` and `_` is escaped.
  ///
  /// If a text is too long for a name, its beginning is followed by a hash of the whole text.
  package static func name(of text: String, suffix: String) -> String {
    let escaped = text.utf8.map(escape).joined()
    let name = escaped + suffix
    guard name.utf8.count > limit else { return name }
    return escaped.prefix(100) + "~" + SecureHash.text(of: text.utf8) + suffix
  }

  /// Returns true if a name may belong to a text that is too long for it.
  package static func isCut(_ name: String, suffix: String) -> Bool {
    guard let stem = stem(of: name, suffix: suffix) else { return false }
    let parts = stem.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 100 && parts[1].count == 64
  }

  /// Returns the text of a name, if the name contains all of it; `nil` if it has a hash, or isn't such a name.
  package static func text(of name: String, suffix: String) -> String? {
    guard var rest = stem(of: name, suffix: suffix) else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return self.name(of: text, suffix: suffix).utf8.elementsEqual(name.utf8) ? text : nil
  }

  /// Returns a name without its suffix; `nil` if it has another one.
  ///
  /// It compares bytes, because the end of another's name and the suffix may make one character.
  private static func stem(of name: String, suffix: String) -> Substring.UTF8View? {
    let (bytes, end) = (name.utf8, suffix.utf8)
    guard bytes.count >= end.count, bytes.suffix(end.count).elementsEqual(end) else { return nil }
    return bytes.dropLast(end.count)
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      String(UnicodeScalar(byte))
    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
}
