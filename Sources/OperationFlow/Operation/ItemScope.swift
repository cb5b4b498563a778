/// The values of one operation alone: those that a group's item is given and writes, or those that are set by hand on
/// an operation that runs outside a flow.
///
/// Most items are given one value, so it is kept without a dictionary.
final class ItemScope: @unchecked Sendable {
  // Invariant: it belongs to one operation, and is read and written under its lock only, once the operation has it.
  private let inputName: String?
  /// The value that the item was given; `nil` once it has been removed.
  private var input: (any Sendable)?
  private var sensitiveNames: Set<String>
  /// What was written, with texts that were made before the lock was taken.
  private var written: [String: (value: any Sendable, text: String)] = [:]

  init(inputName: String? = nil, input: (any Sendable)? = nil, sensitiveNames: Set<String> = []) {
    (self.inputName, self.input, self.sensitiveNames) = (inputName, input, sensitiveNames)
  }

  /// Gives the operation one more value, such as the output of the item that it undoes.
  func give(_ value: any Sendable, named name: String, isSensitive: Bool) {
    if isSensitive { sensitiveNames.insert(name) }
    written[name] = (value, isSensitive ? ValueText.redacted : ValueText.describe(value))
  }

  func value(named name: String) -> (any Sendable)? {
    if !written.isEmpty, let entry = written[name] { return entry.value }
    return name == inputName ? input : nil
  }

  func isSensitive(_ name: String) -> Bool { !sensitiveNames.isEmpty && sensitiveNames.contains(name) }

  func markSensitive(_ name: String) { sensitiveNames.insert(name) }

  /// The values that the operation itself has written, without its input.
  func output(named name: String) -> (any Sendable)? { written[name]?.value }

  /// The input, if a value that is written under `name` takes its place.
  func input(displacedBy name: String) -> (any Sendable)? {
    name == inputName && written[name] == nil ? input : nil
  }

  /// Writes a value with its text; returns the event to record, and the old value, to be freed outside the lock.
  func write(
    _ value: (any Sendable)?, text: String, named name: String, isSensitive: Bool, inputText: String
  ) -> (event: FlowEvent.Kind?, old: (any Sendable)?) {
    if isSensitive { sensitiveNames.insert(name) }
    let isHidden = self.isSensitive(name)
    let old = written[name] ?? input(displacedBy: name).map { ($0, inputText) }
    let newText = isHidden ? ValueText.redacted : text
    written[name] = value.map { ($0, newText) }
    if name == inputName, value == nil { input = nil }
    let event = FlowEvent.Kind.written(
      name, old: old.map { isHidden ? ValueText.redacted : $0.text }, new: value.map { _ in newText })
    return (event, old?.value)
  }
}
