/// The texts of sensitive values, which are replaced wherever another text contains them.
///
/// They are also found as they are printed within other values and in lines, with escapes, and if the end of the other text
/// was cut off. Texts of fewer than six bytes are not replaced, because words such as `true` would be too.
package struct SecretTexts: Sendable {
  private static let window = 6
  /// The largest number of texts.
  static let limit = 10_000
  /// The mark where a text was cut.
  private static let cut = Array("…".utf8)

  private var texts = PrefixTree()
  /// The first six bytes of the texts: at most places of another text, nothing else has to be looked at.
  private var windows: Set<UInt64> = []
  private var count = 0

  package init() {}

  package var isEmpty: Bool { windows.isEmpty }
  var isFull: Bool { count >= Self.limit }

  /// Adds the text of a value as a record has it, and what the text shows of the value's parts.
  @inline(never)
  mutating func insert(_ text: String) {
    guard text != ValueText.redacted else { return }
    // A text that was cut ends in a mark, which the value doesn't.
    insert(whole: text.hasSuffix("…") ? String(text.dropLast()) : text)
    for part in PrintedParts.of(text) { insert(whole: part) }
  }

  /// Adds a text as it is, and as it is printed within other values and in lines.
  @inline(never)
  mutating func insert(whole text: String) {
    guard !isFull, text != ValueText.redacted, insertPlain(text) else { return }
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
    guard bytes.count >= Self.window, texts.insert(bytes) else { return false }
    windows.insert(Self.key(bytes, at: 0))
    return true
  }

  /// The text with every secret replaced; it is read once, no matter how many secrets there are.
  package func scrubbing(_ text: String) -> String {
    guard !isEmpty, text.utf8.count >= Self.window else { return text }
    let bytes = Array(text.utf8)
    var (result, start, index) = ([UInt8](), 0, 0)
    var key = Self.key(bytes, at: 0)
    while true {
      if windows.contains(key), let length = length(in: bytes, at: index) {
        result += bytes[start..<index]
        result += ValueText.redacted.utf8
        index += length
        start = index
        guard index + Self.window <= bytes.count else { break }
        key = Self.key(bytes, at: index)
      } else {
        index += 1
        guard index + Self.window <= bytes.count else { break }
        key = (key << 8 | UInt64(bytes[index + Self.window - 1])) & 0xFFFF_FFFF_FFFF
      }
    }
    return start == 0 ? text : String(decoding: result + bytes[start...], as: UTF8.self)
  }

  /// How many bytes of a text at an index are a secret, or the beginning of one before a cut; `nil` if none are.
  private func length(in bytes: [UInt8], at index: Int) -> Int? {
    let match = texts.match(in: bytes, at: index)
    let least = max(Self.window, match.whole ?? 0)
    guard match.length >= least, match.whole != match.length else { return match.whole }
    let cut = (least...match.length).last { bytes[(index + $0)...].starts(with: Self.cut) }
    return cut ?? match.whole
  }

  private static func key(_ bytes: [UInt8], at index: Int) -> UInt64 {
    bytes[index..<(index + window)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension SecretTexts {
  /// Adds the values of hidden names that an event has.
  mutating func insert(from event: RecordedEvent, hidden: HiddenNames) {
    switch event.recordedKind {
    case .plain(let kind):
      for value in kind.values where hidden.contains(value.name, in: event.step) { insert(value.text) }
    case .keyed(let texts): for text in texts.texts(of: { hidden.contains($0, in: event.step) }) { insert(text) }
    }
  }
}
