/// Creates paths into the data of a state, in the notation of JSONPath that reference paths allow.
enum DataPath {
  /// The member of the data that belongs to the library; all other members are values of the data bucket.
  static let reserved = "operationFlow"

  /// Returns the path of a key's value: `$.key`, or `$['a key']` if the key is no identifier.
  static func key(_ name: String) -> String { "$" + member(name) }

  /// Returns the path of a part of the library's own member.
  static func own(_ part: String) -> String { "$.\(reserved).\(part)" }

  private static func member(_ name: String) -> String { isIdentifier(name) ? ".\(name)" : "['\(name)']" }

  /// Returns true if a path can contain the name: not every interpreter can read a quote or a backslash in it.
  static func canName(_ name: String) -> Bool {
    !name.isEmpty && name != reserved
      && !name.unicodeScalars.contains { $0 == "'" || $0 == "\\" || $0 == "\"" || $0.value < 0x20 || $0.value == 0x7F }
  }

  /// Returns true if a path can contain the name after a dot; every interpreter can also write to such a path.
  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
  }
}
