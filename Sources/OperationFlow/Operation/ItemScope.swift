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

  private struct Values: Sendable {
    let inputName: String?
    /// The value that the item was given; `nil` once it has been removed.
    var input: (any Sendable)?
    var sensitiveNames: Set<String> = []
    var written: [String: Entry] = [:]
  }

  /// One element: every operation has a place for values, and few have any, so the place is a reference.
  private var storage: [Values]

  init() { storage = [Values(inputName: nil)] }

  init(inputName: String, input: any Sendable, sensitiveNames: Set<String>) {
    storage = [Values(inputName: inputName, input: input, sensitiveNames: sensitiveNames)]
  }

  /// Gives the operation one more value, such as the output of the item that it undoes.
  mutating func give(_ value: any Sendable, named name: String, isSensitive: Bool) {
    if isSensitive { storage[0].sensitiveNames.insert(name) }
    storage[0].written[name] = Entry(value: value, text: isSensitive ? ValueText.redacted : ValueText.describe(value))
  }

  func value(named name: String) -> (any Sendable)? {
    if !storage[0].written.isEmpty, let entry = storage[0].written[name] { return entry.value }
    return name == storage[0].inputName ? storage[0].input : nil
  }

  func isSensitive(_ name: String) -> Bool {
    !storage[0].sensitiveNames.isEmpty && storage[0].sensitiveNames.contains(name)
  }

  mutating func markSensitive(_ name: String) { storage[0].sensitiveNames.insert(name) }

  /// The values that the operation itself has written, without its input.
  func output(named name: String) -> (any Sendable)? { storage[0].written[name]?.value }

  /// The input, or the value that was written under `name` in its place.
  func input(displacedBy name: String) -> (any Sendable)? {
    name == storage[0].inputName && storage[0].written[name] == nil ? storage[0].input : nil
  }

  /// The result of a write: the event to record, and the old value, to be freed outside the lock.
  typealias Written = (event: FlowEvent.Kind?, old: (any Sendable)?)

  /// Writes `value` with its text.
  mutating func write(
    _ value: (any Sendable)?, text: String, named name: String, isSensitive: Bool, inputText: String
  ) -> Written {
    if isSensitive { storage[0].sensitiveNames.insert(name) }
    let isHidden = self.isSensitive(name)
    let input = name == storage[0].inputName ? storage[0].input : nil
    let old = storage[0].written[name] ?? input.map { Entry(value: $0, text: inputText) }
    let newText = isHidden ? ValueText.redacted : text
    storage[0].written[name] = value.map { Entry(value: $0, text: newText) }
    if name == storage[0].inputName, value == nil { storage[0].input = nil }
    let event = FlowEvent.Kind.written(
      name, old: old.map { isHidden ? ValueText.redacted : $0.text }, new: value.map { _ in newText })
    return (event, old?.value)
  }
}
