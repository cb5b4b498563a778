import Foundation

/// The texts of sensitive values, which are replaced wherever another text contains them.
///
/// Secrets are also found as they are printed within other values and in lines, and if the end of the other text was
/// cut off. Texts of fewer than six bytes aren't replaced, because words such as `true` would be too.
package struct SecretTexts: Sendable {
  private static let least = 6
  static let limit = 10_000
  private static let cut = Array("…".utf8)

  /// The bytes of each text, sorted: texts with the same beginning are neighbours, so a binary search finds one.
  private var texts: [[UInt8]] = []
  /// True for each byte with which a text begins, so that most places need no search; empty without texts.
  private var firstBytes: [Bool] = []
  /// The number of texts that were added, without their printed forms.
  private var count = 0

  package init() {}

  static func isTooShort(_ text: String) -> Bool { text.utf8.count < least }
  package var isEmpty: Bool { texts.isEmpty }

  /// Adds the text of a value as a record has it, and the parts of the value that the text shows.
  mutating func insert(_ text: String) {
    guard text != ValueText.redacted else { return }
    insert(whole: Self.withoutMark(text))
    for part in PrintedParts.of(text) { insert(whole: part) }
  }

  /// Adds the texts of a value and of everything within it; no lock may be held.
  package mutating func insert(value: Any) { for text in SecretParts.texts(of: value) { insert(whole: text) } }

  /// Returns a text without the mark at its end, and without the count after it, if the text was cut.
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
    // Few texts are printed differently within a value, or in a line.
    let quoted = String(reflecting: text).dropFirst().dropLast()
    if quoted != text { insertPlain(String(quoted)) }
    let escaped = LineText.escaped(text)
    if escaped != text, escaped != quoted { insertPlain(escaped) }
  }

  /// Adds a text as it is; returns false if the text is there already, or is too short.
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

  /// Returns the text with every secret replaced, overlapping ones as one; it is read once for all secrets.
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

  /// Returns the length of the secret at an index, or of the beginning of one before a cut; `nil` if there is none.
  private func length(in bytes: [UInt8], at index: Int) -> Int? {
    let rest = bytes[index...]
    var place = place(of: rest)
    var whole = sharedCount(place - 1, rest)
    let longest = max(whole, sharedCount(place, rest))
    guard longest >= Self.least else { return nil }
    // The secret at the index is the text sorted before the rest, or else the one before what that text shares with the
    // rest, and so on.
    while whole >= Self.least, whole < texts[place - 1].count {
      place = self.place(of: rest.prefix(whole))
      whole = sharedCount(place - 1, rest)
    }
    let cut = (max(Self.least, whole)...longest).last { bytes[(index + $0)...].starts(with: Self.cut) }
    return cut ?? (whole < Self.least ? nil : whole)
  }

  /// Returns the number of texts that are sorted before some bytes, or are equal to them.
  private func place(of bytes: ArraySlice<UInt8>) -> Int {
    var low = 0
    var high = texts.count
    while low < high {
      let middle = (low + high) / 2
      if bytes.lexicographicallyPrecedes(texts[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the number of first bytes that a text shares with others; 0 if there is no such text.
  private func sharedCount(_ place: Int, _ bytes: ArraySlice<UInt8>) -> Int {
    texts.indices.contains(place) ? zip(texts[place], bytes).prefix { $0 == $1 }.count : 0
  }
}

extension FlowPath {
  /// Returns a copy of the path, with every secret in its text replaced.
  package func scrubbing(_ secrets: SecretTexts) -> FlowPath {
    if secrets.isEmpty { return self }
    return node == nil ? FlowPath(secrets.scrubbing(description)) : shown(by: table.scrubbing(secrets))
  }
}

extension PathTable {
  /// Returns a copy of the paths, with every secret in their texts replaced.
  func scrubbing(_ secrets: SecretTexts) -> PathTable {
    secrets.isEmpty ? self : changingTexts { secrets.scrubbing($0) }
  }
}

extension FlowEvent.Item {
  /// Returns a copy with every secret in its name and its text replaced.
  func scrubbing(_ secrets: SecretTexts) -> FlowEvent.Item {
    secrets.isEmpty ? self : FlowEvent.Item(name: secrets.scrubbing(name), text: secrets.scrubbing(text))
  }
}

extension FlowEvent {
  /// Returns the event with every secret in its texts replaced; `path` is the changed path of its step, if any.
  package func scrubbing(_ secrets: SecretTexts, path: FlowPath?) -> FlowEvent {
    if secrets.isEmpty { return self }
    var event = self
    event.source.name = secrets.scrubbing(source.name)
    event.kind = kind.changingTexts(.scrubbed(secrets))
    event.path = path ?? self.path
    return event
  }
}

/// Collects the texts of a value and of everything within it, which are hidden if the value is sensitive.
///
/// Objects, and values that contain one, aren't asked for their text: it may change at any time, and may need a lock.
struct SecretParts {
  /// The largest number and depth of values within a value; objects may lead anywhere, so their depth is smaller.
  private static let countLimit = 100_000
  private static let depthLimit = 64
  private static let objectDepthLimit = 4

  private var texts: [String] = []
  private var count = 0

  /// Returns the texts of a value; this may run code of the value's type, so no lock may be held.
  static func texts(of value: Any) -> [String] {
    var parts = SecretParts()
    parts.visit(value, depth: 0)
    return parts.texts
  }

  /// Adds the texts of a value; returns true if there is no object in it.
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
    // A cast of a dictionary to an object would make Foundation create an `NSDictionary` with all of its contents.
    case _ where !(type(of: value) is AnyClass): return visitParts(of: value, depth: depth)
    case is NSNumber: add("\(value)")
    case let undecoded as any UndecodedValue: undecoded.texts.forEach { add($0) }
    default: return visitParts(of: value, depth: depth)
    }
    return true
  }

  /// Adds the texts of a value's parts, and its own text unless that is Swift's standard text made of the parts.
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

  /// Adds a URL, and the parts of it that are often secret.
  private mutating func add(_ url: URL) {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let found = [url.absoluteString, parts?.password, parts?.percentEncodedPassword]
    for case let text? in found + (parts?.queryItems ?? []).map(\.value) { add(text) }
  }

  /// Adds a text, unless it is too short to be hidden: a value may have any number of short texts before its secret.
  private mutating func add(_ text: String) { if !SecretTexts.isTooShort(text) { texts.append(text) } }
}

/// The parts of a value that Swift's text of the value shows: `Login(user: "ann", token: 123456)`.
enum PrintedParts {
  /// Returns the parts of a collection, structure or case: also a dictionary's keys, but no labels or types.
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

  /// Returns the rest of a text in quotation marks, without escapes, and moves the index to its end.
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
