/// The texts of sensitive values, which are replaced wherever another text contains them.
///
/// They are also found as they are printed within other values and in lines, with escapes, and if the end of the other text
/// was cut off. Texts of fewer than six bytes are not replaced, because words such as `true` would be too.
package struct SecretTexts: Sendable {
  /// The length of the shortest secret.
  private static let least = 6
  /// The largest number of texts.
  static let limit = 10_000
  /// The mark where a text was cut.
  private static let cut = Array("…".utf8)

  private var texts = PrefixTree()
  private var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Adds the text of a value as a record has it, and what the text shows of the value's parts.
  @inline(never)
  mutating func insert(_ text: String) {
    guard text != ValueText.redacted else { return }
    insert(whole: Self.withoutMark(text))
    for part in PrintedParts.of(text) { insert(whole: part) }
  }

  /// A text that was cut ends in a mark, which the value doesn't.
  static func withoutMark(_ text: String) -> String { text.hasSuffix("…") ? String(text.dropLast()) : text }

  /// Adds a text as it is, and as it is printed within other values and in lines.
  @inline(never)
  mutating func insert(whole text: String) {
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
    return bytes.count >= Self.least && texts.insert(bytes)
  }

  /// The text with every secret replaced; it is read once, no matter how many secrets there are.
  package func scrubbing(_ text: String) -> String {
    guard !isEmpty, text.utf8.count >= Self.least else { return text }
    let bytes = Array(text.utf8)
    var (result, start, index) = ([UInt8](), 0, 0)
    while index + Self.least <= bytes.count {
      if let length = length(in: bytes, at: index) {
        result += bytes[start..<index]
        result += ValueText.redacted.utf8
        index += length
        start = index
      } else {
        index += 1
      }
    }
    return start == 0 ? text : String(decoding: result + bytes[start...], as: UTF8.self)
  }

  /// How many bytes of a text at an index are a secret, or the beginning of one before a cut; `nil` if none are.
  private func length(in bytes: [UInt8], at index: Int) -> Int? {
    let match = texts.match(in: bytes, at: index)
    let least = max(Self.least, match.whole ?? 0)
    guard match.length >= least, match.whole != match.length else { return match.whole }
    let cut = (least...match.length).last { bytes[(index + $0)...].starts(with: Self.cut) }
    return cut ?? match.whole
  }

  /// Adds the values of hidden names that an event has.
  mutating func insert(from event: RecordedEvent, hidden: HiddenNames) {
    switch event.recordedKind {
    case .plain(let kind):
      for value in kind.values where hidden.contains(value.name, in: event.step) { insert(value.text) }
    case .keyed(let texts):
      // What is hidden by another text is a sentence, and the value isn't all of it. A hidden value is never described.
      for part in texts.parts where part.hidden == ValueText.redacted && hidden.contains(part.name, in: event.step) {
        if let text = part.text.ifMade { insert(text) }
      }
    }
  }
}

extension FlowPath {
  /// The same path, unless its text contains a secret.
  package func scrubbing(_ secrets: SecretTexts) -> FlowPath {
    if secrets.isEmpty { return self }
    let text = description
    let shown = secrets.scrubbing(text)
    return text == shown ? self : FlowPath(shown)
  }
}

extension FlowEvent {
  /// The event with every text changed that contains a secret; `path` is the one of its step, if that is known.
  package func scrubbing(_ secrets: SecretTexts, path: FlowPath?) -> FlowEvent {
    if secrets.isEmpty { return self }
    return FlowEvent(
      date: date, source: source.named(secrets.scrubbing(source.name)),
      kind: kind.changingTexts(.scrubbed(secrets)), number: number, path: path ?? self.path)
  }
}
