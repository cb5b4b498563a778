import Foundation

/// Text that is built piece by piece up to a limit; nothing beyond the limit is ever built.
struct BoundedText {
  /// How many levels of nested values are shown.
  private static let maximumDepth = 64

  private(set) var text = ""
  /// Whether there is more text than the limit allows.
  private(set) var isFull = false
  private let limit: Int
  /// The length in bytes beyond which characters have to be counted again.
  private var nextCount: Int
  private var depth = 0

  init(limit: Int) {
    self.limit = limit
    nextCount = limit
  }

  /// The text, with a mark if it is cut.
  var marked: String { isFull ? (ValueText.head(of: text, limit: limit).map(String.init) ?? text) + "…" : text }

  @inline(never)
  mutating func append(_ piece: String) {
    guard !isFull else { return }
    if let head = ValueText.head(of: piece, limit: limit) {
      text += head
      isFull = true
    } else {
      text += piece
      if text.utf8.count > nextCount { count() }
    }
  }

  /// Counts the characters, and finds out when the next count is needed: a character takes at least one byte.
  private mutating func count() {
    let count = text.count
    isFull = count > limit || text.utf8.count > limit * 32
    nextCount = text.utf8.count + (limit - count)
  }

  // MARK: Values

  /// Appends elements as Swift prints them, with their debug descriptions, which quote strings.
  mutating func append(elements: some Sequence) {
    append("[")
    append(list: elements) { $0.append(part: $1) }
    append("]")
  }

  /// Appends keys with their values, as Swift prints them.
  mutating func append<Key, Value>(pairs: some Collection<(key: Key, value: Value)>) {
    guard !pairs.isEmpty else { return append("[:]") }
    append("[")
    append(list: pairs) { text, pair in
      text.append(part: pair.key)
      text.append(": ")
      text.append(part: pair.value)
    }
    append("]")
  }

  /// Appends what there is room for, with commas between.
  @inline(never)
  private mutating func append<List: Sequence>(list: List, _ append: (inout BoundedText, List.Element) -> Void) {
    var isFirst = true
    for element in list {
      if isFull { return }
      if !isFirst { self.append(", ") }
      isFirst = false
      append(&self, element)
    }
  }

  /// Appends a value that is no part of another.
  mutating func append(whole value: Any) {
    switch value {
    case let text as String: append(text)
    case let elements as any ElementwiseText: elements.append(to: &self)
    default: append(unquoted: value, isPart: false)
    }
  }

  private mutating func append(part value: Any) {
    // The type alone identifies most elements, which costs less than casting them.
    if let number = opened(value, as: Int.self) { return append(number.description) }
    if let text = opened(value, as: String.self) { return append(quoted: text) }
    if let number = opened(value, as: Double.self) { return append(number.description) }
    guard depth < Self.maximumDepth else { return append("…") }
    depth += 1
    defer { depth -= 1 }
    switch value {
    case let optional as any OptionalValue: append(optional: optional)
    case let text as String: append(quoted: text)
    case let elements as any ElementwiseText: append(nested: elements)
    default: append(unquoted: value, isPart: true)
    }
  }

  /// Appends an optional; arrays, data and values with their own record text are shown the same with and without one.
  private mutating func append(optional: any OptionalValue) {
    guard let value = optional.wrappedValue else { return append("nil") }
    let isShownAlike = value is any ArrayElements || value is Data || value is any CustomRecordStringConvertible
    if isShownAlike { return append(part: value) }
    append("Optional(")
    append(part: value)
    append(")")
  }

  private mutating func append(nested elements: any ElementwiseText) {
    guard let name = elements.nameInside else { return elements.append(to: &self) }
    append(name + "(")
    elements.append(to: &self)
    append(")")
  }

  private mutating func append(quoted text: String) {
    guard let head = ValueText.head(of: text, limit: limit) else { return append(String(reflecting: text)) }
    append(String(String(reflecting: String(head)).dropLast()))
    isFull = true
  }

  /// Appends a value by its parts if it has no text of its own: a part may be large, or have its own record text.
  private mutating func append(unquoted value: Any, isPart: Bool) {
    if let data = value as? Data { return append("<\(data.count) bytes>") }
    if let value = value as? any CustomRecordStringConvertible { return append(value.recordDescription) }
    func text(of value: Any) -> String { isPart ? String(reflecting: value) : String(describing: value) }
    let hasText =
      value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      || value is any TextOutputStreamable
    if hasText { return append(text(of: value)) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct?:
      append(text(of: mirror.subjectType) + "(")
      append(children: mirror.children, areNamed: true)
    case .tuple?:
      append("(")
      append(children: mirror.children, areNamed: false)
    case .enum?:
      guard let payload = mirror.children.first, let name = payload.label else { fallthrough }
      if isPart { append(text(of: mirror.subjectType) + ".") }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      append(isTuple ? name : name + "(")
      append(part: payload.value)
      if !isTuple { append(")") }
    default: append(text(of: value))
    }
  }

  private mutating func append(children: Mirror.Children, areNamed: Bool) {
    append(list: children.lazy.filter { $0.label != nil || !areNamed }) { text, child in
      if let label = child.label, !label.isEmpty, !label.hasPrefix(".") { text.append(label + ": ") }
      text.append(part: child.value)
    }
    append(")")
  }
}

/// A standard library collection that builds only as much of its text as is shown.
protocol ElementwiseText {
  var elementCount: Int { get }
  /// What Swift prints before the collection if it is part of another value.
  var nameInside: String? { get }
  func append(to text: inout BoundedText)
}

extension ElementwiseText where Self: Collection {
  var elementCount: Int { count }
  var nameInside: String? { nil }
  func append(to text: inout BoundedText) { text.append(elements: self) }
}

extension Array: ElementwiseText {}

extension ArraySlice: ElementwiseText {
  var nameInside: String? { "ArraySlice" }
}

extension ContiguousArray: ElementwiseText {
  var nameInside: String? { "ContiguousArray" }
}

extension Set: ElementwiseText {
  var nameInside: String? { "Set" }
}

extension Dictionary: ElementwiseText {
  func append(to text: inout BoundedText) { text.append(pairs: self) }
}

extension KeyValuePairs: ElementwiseText {
  func append(to text: inout BoundedText) { text.append(pairs: self) }
}
