/// The texts of sensitive values, which are replaced wherever another text contains them.
///
/// They are also found as they are printed within other values and in lines, and if the end of the other text was cut off.
/// Texts of fewer than six bytes are not replaced, because words such as `true` would be too.
package struct SecretTexts: Sendable {
  private static let least = 6
  static let limit = 10_000
  private static let cut = Array("…".utf8)

  /// The bytes of each text, sorted: texts that begin alike are side by side, so one is found by a binary search.
  private var texts: [[UInt8]] = []
  /// Whether any text begins with a byte, so that nothing is searched for at most places; empty without texts.
  private var firstBytes: [Bool] = []
  /// How many were added; their printed forms don't count.
  private var count = 0

  package init() {}

  static func isTooShort(_ text: String) -> Bool { text.utf8.count < least }
  package var isEmpty: Bool { texts.isEmpty }

  /// Adds the text of a value as a record has it, and what the text shows of the value's parts.
  mutating func insert(_ text: String) {
    guard text != ValueText.redacted else { return }
    insert(whole: Self.withoutMark(text))
    for part in PrintedParts.of(text) { insert(whole: part) }
  }

  /// Adds the texts of a value and of everything that it holds; no lock may be held.
  package mutating func insert(value: Any) { for text in SecretParts.texts(of: value) { insert(whole: text) } }

  /// A text that was cut ends in a mark, perhaps with a count of the rest, which the value doesn't.
  static func withoutMark(_ text: String) -> String {
    guard let mark = text.lastIndex(of: "…") else { return text }
    let rest = text[mark...].dropFirst()
    let count = rest.dropFirst(2).prefix { $0.isNumber }
    return rest.isEmpty || !count.isEmpty && rest == " (\(count) more bytes)" ? String(text[..<mark]) : text
  }

  /// Adds a text as it is, and as it is printed within other values and in lines.
  package mutating func insert(whole text: String) {
    guard count < Self.limit, text != ValueText.redacted, insertPlain(text) else { return }
    count += 1
    // Few texts are printed otherwise within a value, or in a line.
    let quoted = String(reflecting: text).dropFirst().dropLast()
    if quoted != text { insertPlain(String(quoted)) }
    let escaped = LineText.escaped(text)
    if escaped != text, escaped != quoted { insertPlain(escaped) }
  }

  /// Adds a text as it is; false if it is there already, or too short.
  @discardableResult
  private mutating func insertPlain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let place = place(of: bytes[...])
    guard bytes.count >= Self.least, place == 0 || texts[place - 1] != bytes else { return false }
    texts.insert(bytes, at: place)
    if firstBytes.isEmpty { firstBytes = Array(repeating: false, count: 256) }
    firstBytes[Int(bytes[0])] = true
    return true
  }

  /// The text with every secret replaced, those that overlap as one; it is read once, no matter how many there are.
  package func scrubbing(_ text: String) -> String {
    guard !isEmpty, !Self.isTooShort(text) else { return text }
    let bytes = Array(text.utf8)
    // Everything before the end of the secrets found so far is in the result.
    var result = [UInt8]()
    var end = 0
    for index in 0...(bytes.count - Self.least) {
      guard firstBytes[Int(bytes[index])], let length = length(in: bytes, at: index) else { continue }
      if index >= end {
        result += bytes[end..<index]
        result += ValueText.redacted.utf8
      }
      end = max(end, index + length)
    }
    return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
  }

  /// How many bytes of a text at an index are a secret, or the beginning of one before a cut; `nil` if none are.
  private func length(in bytes: [UInt8], at index: Int) -> Int? {
    let rest = bytes[index...]
    var place = place(of: rest)
    var whole = sharedCount(place - 1, rest)
    let longest = max(whole, sharedCount(place, rest))
    guard longest >= Self.least else { return nil }
    // A text that the rest begins with is the one before it, or the one before what that shares with the rest, and so on.
    while whole >= Self.least, whole < texts[place - 1].count {
      place = self.place(of: rest.prefix(whole))
      whole = sharedCount(place - 1, rest)
    }
    let cut = (max(Self.least, whole)...longest).last { bytes[(index + $0)...].starts(with: Self.cut) }
    return cut ?? (whole < Self.least ? nil : whole)
  }

  /// How many texts come before some bytes, or are the same.
  private func place(of bytes: ArraySlice<UInt8>) -> Int {
    var low = 0
    var high = texts.count
    while low < high {
      let middle = (low + high) / 2
      if bytes.lexicographicallyPrecedes(texts[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// How many bytes a text begins with that others do; 0 if there is no such text.
  private func sharedCount(_ place: Int, _ bytes: ArraySlice<UInt8>) -> Int {
    texts.indices.contains(place) ? zip(texts[place], bytes).prefix { $0 == $1 }.count : 0
  }
}

extension FlowPath {
  /// A copy of the path, with every secret in its text replaced.
  package func scrubbing(_ secrets: SecretTexts) -> FlowPath {
    if secrets.isEmpty { return self }
    return node == nil ? FlowPath(secrets.scrubbing(description)) : shown(by: table.scrubbing(secrets))
  }
}

extension PathTable {
  /// A copy of the paths, with every secret in their texts replaced.
  func scrubbing(_ secrets: SecretTexts) -> PathTable {
    secrets.isEmpty ? self : changingTexts { secrets.scrubbing($0) }
  }
}

extension FlowEvent.Item {
  /// A copy with every secret in its name and its text replaced.
  func scrubbing(_ secrets: SecretTexts) -> FlowEvent.Item {
    secrets.isEmpty ? self : FlowEvent.Item(name: secrets.scrubbing(name), text: secrets.scrubbing(text))
  }
}

extension FlowEvent {
  /// The event with every text changed that contains a secret; `path` is the one of its step, if that is known.
  package func scrubbing(_ secrets: SecretTexts, path: FlowPath?) -> FlowEvent {
    if secrets.isEmpty { return self }
    var event = self
    event.source.name = secrets.scrubbing(source.name)
    event.kind = kind.changingTexts(.scrubbed(secrets))
    event.path = path ?? self.path
    return event
  }
}
