/// The texts of sensitive values, which are replaced wherever another text contains them.
///
/// They are also found as they are printed within other values and in lines, with escapes, and if the end of the other text
/// was cut off. Texts of fewer than six bytes are not replaced, because words such as `true` would be too.
struct SecretTexts: Sendable {
  private static let window = 6
  /// The largest number of texts.
  private static let limit = 10_000
  /// The mark where a text was cut.
  private static let cut = Array("…".utf8)

  /// The texts by their first six bytes, the longest first.
  private var texts: [UInt64: [[UInt8]]] = [:]
  private var count = 0

  var isEmpty: Bool { texts.isEmpty }

  /// Adds the text of a value; of an array's text, its elements as well.
  mutating func insert(_ text: String) {
    guard text != ValueText.redacted else { return }
    // A text that was cut ends in a mark, which the value doesn't.
    add(text.hasSuffix("…") ? String(text.dropLast()) : text)
    guard text.first == "[", text.last == "]" else { return }
    for element in text.dropFirst().dropLast().split(separator: ", ") {
      add(element.first == "\"" && element.last == "\"" ? String(element.dropFirst().dropLast()) : String(element))
    }
  }

  private mutating func add(_ text: String) {
    guard count < Self.limit, addPlain(text) else { return }
    count += 1
    // Few texts are printed otherwise within a value, or in a line.
    let quoted = String(reflecting: text).dropFirst().dropLast()
    if quoted != text { addPlain(String(quoted)) }
    let escaped = LineText.escaped(text)
    if escaped != text, escaped != quoted { addPlain(escaped) }
  }

  /// Adds a text as it is; false if it is there already, or too short.
  @discardableResult
  private mutating func addPlain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.window else { return false }
    let key = Self.key(bytes, at: 0)
    guard texts[key]?.contains(bytes) != true else { return false }
    texts[key, default: []].append(bytes)
    texts[key]?.sort { $0.count > $1.count }
    return true
  }

  /// The text with every secret replaced; it is read once, no matter how many secrets there are.
  func scrubbing(_ text: String) -> String {
    guard !texts.isEmpty, text.utf8.count >= Self.window else { return text }
    let bytes = Array(text.utf8)
    let cuts = Self.cuts(in: bytes)
    var (result, start, index) = ([UInt8](), 0, 0)
    while index + Self.window <= bytes.count {
      guard let secrets = texts[Self.key(bytes, at: index)],
        let length = Self.length(of: secrets, in: bytes, at: index, cuts)
      else {
        index += 1
        continue
      }
      result += bytes[start..<index]
      result += Array(ValueText.redacted.utf8)
      index += length
      start = index
    }
    return start == 0 ? text : String(decoding: result + bytes[start...], as: UTF8.self)
  }

  /// How many bytes of a text at an index are a secret, or the beginning of one before a cut; `nil` if none are.
  private static func length(of secrets: [[UInt8]], in bytes: [UInt8], at index: Int, _ cuts: [Int]) -> Int? {
    let whole = secrets.first { bytes[index...].starts(with: $0) }?.count
    let cut = cuts.first { cut in
      cut >= index + window && secrets.contains { $0.starts(with: bytes[index..<cut]) }
    }
    return [whole, cut.map { $0 - index }].compactMap(\.self).max()
  }

  /// Where a text may have been cut.
  private static func cuts(in bytes: [UInt8]) -> [Int] {
    guard let first = bytes.firstIndex(of: cut[0]) else { return [] }
    return (first..<bytes.count).filter { bytes[$0] == cut[0] && bytes[$0...].starts(with: cut) }
  }

  private static func key(_ bytes: [UInt8], at index: Int) -> UInt64 {
    var key: UInt64 = 0
    for byte in bytes[index..<(index + window)] { key = key << 8 | UInt64(byte) }
    return key
  }
}

extension SecretTexts {
  /// Adds the values of hidden names that an event has.
  mutating func insert(from event: RecordedEvent, hidden: HiddenNames) {
    let isHidden: (String) -> Bool = { hidden.contains($0, in: event.step) }
    switch event.recordedKind {
    case .plain(let kind): insert(from: kind, isHidden)
    case .keyed(let texts): for text in texts.texts(of: isHidden) { insert(text) }
    }
  }

  private mutating func insert(from kind: FlowEvent.Kind, _ isHidden: (String) -> Bool) {
    switch kind {
    case .flowStarted(let items), .flowFinished(_, let items):
      for item in items where isHidden(item.name) { insert(item.text) }
    case .added(let name, let text), .removed(let name, let text): if isHidden(name) { insert(text) }
    case .replaced(let name, let old, let new):
      guard isHidden(name) else { return }
      insert(old)
      insert(new)
    default: return
    }
  }
}
