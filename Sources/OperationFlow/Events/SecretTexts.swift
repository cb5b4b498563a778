import Foundation

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

/// The texts of a value and of everything that it holds: they are what is hidden of a sensitive value.
///
/// An object is never asked for its text, nor is what holds one: its text may change at any time, and may take its lock.
struct SecretParts {
  /// How many values within a value are looked at, and how deep; objects may lead anywhere, so less deep.
  private static let countLimit = 100_000
  private static let depthLimit = 64
  private static let objectDepthLimit = 4

  private var texts: [String] = []
  private var count = 0

  /// The texts of a value; it may run code of the value's type, so no lock may be held.
  static func texts(of value: Any) -> [String] {
    var parts = SecretParts()
    parts.visit(value, depth: 0)
    return parts.texts
  }

  /// Adds the texts of a value; returns whether there is no object in it.
  @discardableResult
  private mutating func visit(_ value: Any, depth: Int) -> Bool {
    count += 1
    guard count <= Self.countLimit, texts.count < SecretTexts.limit, depth < Self.depthLimit else { return false }
    switch value {
    case let text as any StringProtocol: add(String(text))
    case let number as any BinaryInteger: add("\(number)")
    case let number as any BinaryFloatingPoint: add("\(number)")
    case is Decimal, is UUID, is Date: add("\(value)")
    case let url as URL: add(url)
    case is Bool, is Data, is [UInt8]: break
    case let strings as [String]: for text in strings where texts.count < SecretTexts.limit { add(text) }
    // To find out whether a dictionary is an object, Foundation makes an `NSDictionary` of it, with all that is in it.
    case _ where !(type(of: value) is AnyClass): return visitParts(of: value, depth: depth)
    case is NSNumber: add("\(value)")
    case let undecoded as any UndecodedValue: undecoded.texts.forEach { add($0) }
    default: return visitParts(of: value, depth: depth)
    }
    return true
  }

  /// Adds what a value holds, and its own text if that isn't made of its parts as Swift does it.
  private mutating func visitParts(of value: Any, depth: Int) -> Bool {
    if type(of: value) == AnyHashable.self, let key = value as? AnyHashable { return visit(key.base, depth: depth) }
    let isObject = type(of: value) is AnyClass
    if isObject, depth >= Self.objectDepthLimit || value is any CustomReflectable { return false }
    var mirror = Optional(Mirror(reflecting: value))
    var isPlain = !isObject
    while let part = mirror {
      for child in part.children {
        if !visit(child.value, depth: depth + 1) { isPlain = false }
        if count > Self.countLimit || texts.count >= SecretTexts.limit { return false }
      }
      mirror = part.superclassMirror
    }
    guard isPlain else { return false }
    if value is any CustomStringConvertible, !(value is any ElementwiseText) {
      add("\(value)")
    } else if depth == 0, !(value is any CustomRecordStringConvertible) {
      add(ValueText.describe(value))
    }
    return true
  }

  /// Adds an address, and what is often secret in one.
  private mutating func add(_ url: URL) {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let found = [url.absoluteString, parts?.password, parts?.percentEncodedPassword]
    for case let text? in found + (parts?.queryItems ?? []).map(\.value) { add(text) }
  }

  /// Adds a text, unless it is too short to be hidden: a value may have any number of those before its secret.
  private mutating func add(_ text: String) { if !SecretTexts.isTooShort(text) { texts.append(text) } }
}

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
