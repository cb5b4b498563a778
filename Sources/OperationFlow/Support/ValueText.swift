import Foundation

/// The texts of values in a record, with a limited length, so that their size and cost don't grow with the data.
package enum ValueText {
  /// The number of characters that a record stores of the text of a value or an error.
  package static let limit = 1_000
  static let messageLimit = 4_000
  static let nameLimit = 200
  static let redacted = "<redacted>"

  /// Returns the text of a value that needs no user's code; `nil` for any other value.
  static func atHand(_ value: Any) -> String? {
    // Comparing types costs less than a cast.
    if let number = unboxed(value, as: Int.self) { return number.description }
    if let text = unboxed(value, as: String.self) { return cutCounting(text) }
    if let isTrue = unboxed(value, as: Bool.self) { return isTrue.description }
    return unboxed(value, as: Double.self)?.description
  }

  /// Returns the text of `value`, cut at the limit: the size of `Data`, or the record text of a value that provides
  /// one.
  static func describe(_ value: Any) -> String {
    if let text = atHand(value) { return text }
    var text = BoundedText()
    text.append(value: value)
    guard text.isFull, let elements = value as? any ElementwiseText else { return text.marked }
    return text.marked + " (\(elements.elementMirror.children.count) elements)"
  }

  /// Returns the first `limit` characters, with a mark if the text continues.
  package static func cut(_ text: String, limit: Int = limit) -> String {
    head(of: text, limit: limit).map { $0 + "…" } ?? text
  }

  /// Returns both ends of a text, together at most `limit` characters, with a mark where it was cut.
  package static func cutInside(_ text: String, limit: Int) -> String {
    guard let head = head(of: text, limit: limit) else { return text }
    return head.prefix(limit / 2) + "…" + text.suffix(max(0, limit - limit / 2 - 1))
  }

  /// Returns the first `limit` characters, and the number of bytes that were left out.
  package static func cutCounting(_ text: String, limit: Int = limit) -> String {
    head(of: text, limit: limit).map { "\($0)… (\(text.utf8.count - $0.utf8.count) more bytes)" } ?? text
  }

  /// Returns a number with a noun, such as `1 step` or `2 steps`.
  package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// Returns the texts of the counts that aren't zero, such as `1 failed`.
  static func counts(_ counts: KeyValuePairs<String, Int>) -> [String] {
    counts.filter { $0.value > 0 }.map { "\($0.value) \($0.key)" }
  }

  package static func name(_ name: String) -> String {
    isShort(name, nameLimit) ? name : cutCounting(name, limit: nameLimit)
  }

  /// Returns true if a text is certain to have at most `limit` characters, each of which has at least one byte.
  static func isShort(_ text: String, _ limit: Int) -> Bool { text.isContiguousUTF8 && text.utf8.count <= limit }

  /// Returns the first `limit` characters if there are more, without reading the rest; otherwise `nil`.
  static func head(of text: String, limit: Int) -> Substring? {
    let bytes = text.utf8
    guard let mark = bytes.index(bytes.startIndex, offsetBy: limit, limitedBy: bytes.endIndex), mark < bytes.endIndex
    else { return nil }
    // A single character may consist of any number of scalars, so their number is limited too.
    let scalars = text.unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: limit * 8, limitedBy: scalars.endIndex) ?? scalars.endIndex
    let head = text[..<end].prefix(limit)
    return head.endIndex < text.endIndex ? head : nil
  }

  /// Returns the text of an error, cut like a value's: its localized description if it has one, or else as Swift prints
  /// it.
  package static func describe(error: any Error, limit: Int = limit) -> String {
    cutCounting(
      (error as? any LocalizedError)?.errorDescription ?? systemText(of: error) ?? "\(error)", limit: limit)
  }

  /// Returns the description of an error of Foundation or the system, with the file or address that it is about; `nil`
  /// for other errors.
  ///
  /// Printed, such an error is a list of everything that it contains.
  private static func systemText(of error: any Error) -> String? {
    let isOfFoundation = error is any CustomNSError && String(reflecting: type(of: error)).hasPrefix("Foundation")
    guard isOfFoundation || type(of: error) is NSError.Type else { return nil }
    let system = error as NSError
    guard [NSCocoaErrorDomain, NSPOSIXErrorDomain, NSURLErrorDomain].contains(system.domain) else { return nil }
    let keys = [NSFilePathErrorKey, NSURLErrorKey, NSURLErrorFailingURLErrorKey]
    let subject = keys.lazy.compactMap { system.userInfo[$0] }.first.map { value in
      (value as? URL).map { $0.isFileURL ? $0.path : $0.absoluteString } ?? "\(value)"
    }
    var text = system.localizedDescription
    // A text that has no more than a number isn't the cause.
    if text.contains(system.domain), let cause = system.userInfo[NSUnderlyingErrorKey] as? any Error {
      text += " " + (cause as NSError).localizedDescription
    }
    guard let subject, !text.contains(subject) else { return text }
    return "\(text) (\(subject))"
  }
}

/// Makes text safe as part of a line: it can't end the line, forge another, or change the direction of the text.
package enum LineText {
  /// Returns the text with control characters, line separators and direction marks escaped as in Swift, such as
  /// `\u{1B}`.
  package static func escaped(_ text: String) -> String {
    // A quick check of bytes: an escaped character is a control character, or begins with one of three bytes.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }),
      text.unicodeScalars.contains(where: mustBeEscaped)
    else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if mustBeEscaped(scalar) { escaped += escape(scalar) } else { escaped.unicodeScalars.append(scalar) }
    }
    return escaped
  }

  /// Returns a text that may be a list, such as a refusal with several errors, with each of its items escaped as a
  /// line.
  package static func listed(_ text: String) -> String {
    text.components(separatedBy: listMark).map(escaped).joined(separator: "\n  - ")
  }

  package static let listMark = "\n- "

  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}

/// Makes text safe between the quotes of a Mermaid diagram, where only Mermaid's codes and Markdown can do harm.
package enum MermaidText {
  /// Returns the first 100 characters in one line, which is never empty.
  ///
  /// Everything but letters, digits and harmless punctuation is written as entity codes.
  package static func escaped(_ text: String, keeping punctuation: String = "_ -.,()…") -> String {
    guard !text.isEmpty else { return "(no name)" }
    return ValueText.cut(text, limit: 100).unicodeScalars.reduce(into: "") { escaped, scalar in
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || punctuation.unicodeScalars.contains(scalar) {
        escaped.unicodeScalars.append(scalar)
      } else {
        escaped += properties.generalCategory == .control || properties.isWhitespace ? " " : "#\(scalar.value);"
      }
    }
  }
}

/// A value that provides its own text for records, summaries and errors.
///
/// A value without it is shown as Swift prints it. Conform if that text would be too long or contain secrets:
///
/// ```swift
/// extension Account: CustomRecordStringConvertible {
///   var recordDescription: String { "account \(number)" }
/// }
/// ```
public protocol CustomRecordStringConvertible {
  /// The value's text, of which the first 1,000 characters are shown; read at most once for each write, on any thread.
  var recordDescription: String { get }
}

/// The text of a value or an error for a record: made already, or later, when no lock is held.
enum RecordText: Sendable {
  case made(String)
  case pending(PendingText)

  var ifMade: String? {
    switch self {
    case .made(let text): text
    case .pending(let pending): pending.made
    }
  }

  /// The text; it may be made only now, so no lock may be held.
  var text: String {
    switch self {
    case .made(let text): text
    case .pending(let pending): pending.text
    }
  }
}

/// The text of a value or an error that was recorded under a lock; made only once, after the lock is released.
final class PendingText: Sendable {
  private struct State: Sendable {
    /// Makes the text, and retains the value or the error until then.
    var make: (@Sendable () -> String)?
    var known: String?
  }

  private let state: Locked<State>

  /// The texts that the current code is making: a description may read the record that will contain its text.
  @TaskLocal private static var atWork: [ObjectIdentifier] = []
  private static let unmade = "<being described>"

  init(_ value: any Sendable) { state = Locked(State(make: { ValueText.describe(value) })) }

  init(error: any Error) { state = Locked(State(make: { ValueText.describe(error: error) })) }

  var made: String? { state.withLock { $0.known } }

  /// The text; making it runs the value's own code, so no lock may be held.
  var text: String {
    let this = ObjectIdentifier(self)
    let found = state.withLock { $0 }
    guard let make = found.make else { return found.known ?? Self.unmade }
    if Self.atWork.contains(this) { return Self.unmade }
    let made = Self.$atWork.withValue(Self.atWork + [this], operation: make)
    // This may be the last reference to the value, so it is freed outside the lock.
    defer { withExtendedLifetime(make) {} }
    return state.withLock { state in
      state.make = nil
      // If two threads make the text at once, the first one is used.
      return state.known.orNew(made)
    }
  }
}
