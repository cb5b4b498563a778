import Foundation

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
