/// The values of one operation alone: those that a group's item is given and writes, or those that are set by hand on
/// an operation that runs outside a flow.
///
/// Most items are given one value, so it is kept without a dictionary.
struct ItemScope: Sendable {
  /// A value that was written, with its text, made before the lock was taken.
  private struct Entry: Sendable {
    let value: any Sendable
    let text: String
  }

  private let inputName: String?
  /// The value that the item was given; `nil` once it has been removed.
  private var input: (any Sendable)?
  private var sensitiveNames: Set<String>
  private var written: [String: Entry] = [:]

  init() {
    inputName = nil
    input = nil
    sensitiveNames = []
  }

  init(inputName: String, input: any Sendable, sensitiveNames: Set<String>) {
    self.inputName = inputName
    self.input = input
    self.sensitiveNames = sensitiveNames
  }

  /// Gives the operation one more value, such as the output of the item that it undoes.
  mutating func give(_ value: any Sendable, named name: String, isSensitive: Bool) {
    if isSensitive { sensitiveNames.insert(name) }
    written[name] = Entry(value: value, text: isSensitive ? ValueText.redacted : ValueText.describe(value))
  }

  func value(named name: String) -> (any Sendable)? {
    if !written.isEmpty, let entry = written[name] { return entry.value }
    return name == inputName ? input : nil
  }

  func isSensitive(_ name: String) -> Bool {
    !sensitiveNames.isEmpty && sensitiveNames.contains(name)
  }

  mutating func markSensitive(_ name: String) { sensitiveNames.insert(name) }

  /// The values that the operation itself has written, without its input.
  func output(named name: String) -> (any Sendable)? { written[name]?.value }

  /// The input, or the value that was written under `name` in its place.
  func input(displacedBy name: String) -> (any Sendable)? {
    name == inputName && written[name] == nil ? input : nil
  }

  /// The result of a write: the event to record, and the old value, to be freed outside the lock.
  typealias Written = (event: FlowEvent.Kind?, old: (any Sendable)?)

  /// Writes `value` with its text.
  mutating func write(
    _ value: (any Sendable)?, text: String, named name: String, isSensitive: Bool, inputText: String
  ) -> Written {
    if isSensitive { sensitiveNames.insert(name) }
    let isHidden = self.isSensitive(name)
    let old = written[name] ?? (name == inputName ? input.map { Entry(value: $0, text: inputText) } : nil)
    let newText = isHidden ? ValueText.redacted : text
    written[name] = value.map { Entry(value: $0, text: newText) }
    if name == inputName, value == nil { input = nil }
    let event = FlowEvent.Kind.written(
      name, old: old.map { isHidden ? ValueText.redacted : $0.text }, new: value.map { _ in newText })
    return (event, old?.value)
  }
}
