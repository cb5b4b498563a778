import Foundation

/// The text of a value as a record keeps it, with a limited length so that neither it nor its cost grows with the data.
package enum ValueText {
  /// How many characters a record keeps of the text of a value or an error, of a logged line, and of a key's name.
  package static let limit = 1_000
  static let messageLimit = 4_000
  static let nameLimit = 200
  static let redacted = "<redacted>"

  /// The text of a value that is available without running user code; `nil` for any other value.
  static func atHand(_ value: Any) -> String? {
    // Comparing types costs less than a cast.
    if let number = unboxed(value, as: Int.self) { return number.description }
    if let text = unboxed(value, as: String.self) { return cutCounting(text) }
    if let isTrue = unboxed(value, as: Bool.self) { return isTrue.description }
    return unboxed(value, as: Double.self)?.description
  }

  /// The text of `value`, cut at the limit: the size of `Data`, and the record text of values that provide it.
  static func describe(_ value: Any) -> String {
    if let text = atHand(value) { return text }
    var text = BoundedText()
    text.append(value: value)
    guard text.isFull, let elements = value as? any ElementwiseText else { return text.marked }
    return text.marked + " (\(elements.elementMirror.children.count) elements)"
  }

  /// The first `limit` characters, with a mark if the text continues.
  package static func cut(_ text: String, limit: Int = limit) -> String {
    head(of: text, limit: limit).map { $0 + "…" } ?? text
  }

  /// Both ends of a text, together at most `limit` characters, with a mark where it was cut.
  package static func cutInside(_ text: String, limit: Int) -> String {
    guard let head = head(of: text, limit: limit) else { return text }
    return head.prefix(limit / 2) + "…" + text.suffix(max(0, limit - limit / 2 - 1))
  }

  /// The first `limit` characters, with a note of how much was left out.
  package static func cutCounting(_ text: String, limit: Int = limit) -> String {
    head(of: text, limit: limit).map { "\($0)… (\(text.utf8.count - $0.utf8.count) more bytes)" } ?? text
  }

  /// A number of things, such as `1 step` or `2 steps`.
  package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The counts that aren't zero, such as `1 failed`.
  static func counts(_ counts: KeyValuePairs<String, Int>) -> [String] {
    counts.filter { $0.value > 0 }.map { "\($0.value) \($0.key)" }
  }

  package static func name(_ name: String) -> String {
    isShort(name, nameLimit) ? name : cutCounting(name, limit: nameLimit)
  }

  /// Whether a text is certain to have at most `limit` characters, each of which has at least one byte.
  static func isShort(_ text: String, _ limit: Int) -> Bool { text.isContiguousUTF8 && text.utf8.count <= limit }

  /// The first `limit` characters, if there are more; the rest isn't read.
  static func head(of text: String, limit: Int) -> Substring? {
    let bytes = text.utf8
    guard let mark = bytes.index(bytes.startIndex, offsetBy: limit, limitedBy: bytes.endIndex), mark < bytes.endIndex
    else { return nil }
    // A single character may consist of any number of scalars, so these are limited too.
    let scalars = text.unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: limit * 8, limitedBy: scalars.endIndex) ?? scalars.endIndex
    let head = text[..<end].prefix(limit)
    return head.endIndex < text.endIndex ? head : nil
  }

  /// The text of an error, cut like a value's: its localized description if it has one, otherwise what Swift prints.
  package static func describe(error: any Error, limit: Int = limit) -> String {
    cutCounting((error as? any LocalizedError)?.errorDescription ?? "\(error)", limit: limit)
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

/// The text of a value or an error for a record: made already, or as soon as no lock is held.
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

/// The text of a value or an error that was noted under a lock: made only once, after the lock is released.
final class PendingText: Sendable {
  private struct State: Sendable {
    /// Makes the text, and holds the value or the error until then.
    var make: (@Sendable () -> String)?
    var known: String?
  }

  private let state: Locked<State>

  /// The texts that the code at work is making: a description may read the record that its text is to be in.
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
      // If two threads make the text at once, the first one counts.
      return state.known.orNew(made)
    }
  }
}
