import Foundation

/// A text that is built piece by piece up to the limit of a value's text; nothing beyond the limit is ever built.
struct BoundedText {
  private static let maximumDepth = 65
  private static let limit = ValueText.limit
  private(set) var text = ""
  private(set) var isFull = false
  /// The length in bytes beyond which characters have to be counted again.
  private var nextCount = limit
  private var depth = 0

  /// The text, with a mark if it is cut.
  var marked: String { isFull ? (ValueText.head(of: text, limit: Self.limit).map(String.init) ?? text) + "…" : text }

  mutating func append(_ piece: String) {
    if isFull { return }
    if let head = ValueText.head(of: piece, limit: Self.limit) {
      text += head
      isFull = true
    } else {
      text += piece
      if text.utf8.count > nextCount { count() }
    }
  }

  /// Counts the characters, and sets the length of the next count: each character needs at least one byte.
  private mutating func count() {
    let count = text.count
    isFull = count > Self.limit || text.utf8.count > Self.limit * 32
    nextCount = text.utf8.count + (Self.limit - count)
  }

  // MARK: Values

  /// Appends a value as Swift prints it; a part of another value with its debug description, which quotes strings.
  mutating func append(value: Any, isPart: Bool = false) {
    // Comparing types costs less than a cast, which most elements don't need.
    if let number = unboxed(value, as: Int.self) { return append(number.description) }
    if let text = unboxed(value, as: String.self) { return append(text, isQuoted: isPart) }
    if let number = unboxed(value, as: Double.self) { return append(number.description) }
    guard depth < Self.maximumDepth else { return append("…") }
    depth += 1
    defer { depth -= 1 }
    switch value {
    case let optional as any OptionalValue where isPart: append(optional: optional)
    case let text as String: append(text, isQuoted: isPart)
    case let elements as any ElementwiseText: append(elements: elements.elementMirror, isPart: isPart)
    default: append(other: value, isPart: isPart)
    }
  }

  /// Appends an optional; `Optional(…)` is left out for arrays, data and values with their own record text.
  private mutating func append(optional: any OptionalValue) {
    guard let value = optional.wrappedValue else { return append("nil") }
    let isShownAlike = value is any ArrayElements || value is Data || value is any CustomRecordStringConvertible
    if !isShownAlike { append("Optional(") }
    append(value: value, isPart: true)
    if !isShownAlike { append(")") }
  }

  private mutating func append(_ text: String, isQuoted: Bool) {
    guard isQuoted else { return append(text) }
    guard let head = ValueText.head(of: text, limit: Self.limit) else { return append(String(reflecting: text)) }
    append(String(String(reflecting: String(head)).dropLast()))
    isFull = true
  }

  private mutating func append(elements: Mirror, isPart: Bool) {
    let isOfPairs = elements.displayStyle == .dictionary
    let type = TypeName.of(elements.subjectType).prefix { $0 != "<" }
    let isNamed = isPart && !isOfPairs && type != "Array"
    append(isNamed ? type + "([" : "[")
    if isOfPairs, elements.children.isEmpty { append(":") }
    append(elements.children, arePairs: isOfPairs)
    append(isNamed ? "])" : "]")
  }

  /// Appends a value by its parts if it has no text of its own: a part may be large, or have its own record text.
  private mutating func append(other value: Any, isPart: Bool) {
    if let data = value as? Data { return append("<\(data.count) bytes>") }
    if let value = value as? any CustomRecordStringConvertible { return append(value.recordDescription) }
    // Foundation on Linux stops the program if the text of such a date is requested.
    if let date = value as? Date, date.timeIntervalSinceReferenceDate.isNaN { return append("no date") }
    func text(of value: Any) -> String { isPart ? String(reflecting: value) : String(describing: value) }
    let hasText =
      value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      || value is any TextOutputStreamable
    if hasText { return append(text(of: value)) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct?, .tuple?:
      let isTuple = mirror.displayStyle == .tuple
      append(isTuple ? "(" : text(of: mirror.subjectType) + "(")
      append(isTuple ? mirror.children : Mirror.Children(mirror.children.filter { $0.label != nil }))
      append(")")
    case .enum?:
      guard let payload = mirror.children.first, let name = payload.label else { fallthrough }
      if isPart { append(text(of: mirror.subjectType) + ".") }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      append(isTuple ? name : name + "(")
      append(value: payload.value, isPart: true)
      if !isTuple { append(")") }
    default: append(text(of: value))
    }
  }

  /// Appends the parts that fit, with commas between them; a pair is a key and its value.
  private mutating func append(_ parts: Mirror.Children, arePairs: Bool = false) {
    for (index, part) in parts.enumerated() {
      if isFull { return }
      if index > 0 { append(", ") }
      if let label = part.label, !label.isEmpty, !label.hasPrefix(".") { append(label + ": ") }
      let halves = arePairs ? Mirror(reflecting: part.value).children.map(\.value) : [part.value]
      for (index, half) in halves.enumerated() {
        if index > 0 { append(": ") }
        append(value: half, isPart: true)
      }
    }
  }
}

/// A collection of the standard library, of which only the shown elements are made into text.
protocol ElementwiseText { var elementMirror: Mirror { get } }

extension ElementwiseText { var elementMirror: Mirror { Mirror(reflecting: self) } }

extension Array: ElementwiseText {}
extension ArraySlice: ElementwiseText {}
extension ContiguousArray: ElementwiseText {}
extension Set: ElementwiseText {}
extension Dictionary: ElementwiseText {}
extension KeyValuePairs: ElementwiseText {
  var elementMirror: Mirror {
    Mirror(self, unlabeledChildren: self, displayStyle: .dictionary)
  }
}
