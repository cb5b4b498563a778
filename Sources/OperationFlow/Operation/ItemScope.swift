/// The values of one operation alone: those of a group's item, or of an operation that runs outside a flow.
///
/// Most items are given one value, so it is kept without a dictionary.
final class ItemScope: @unchecked Sendable {
  // Invariant: it belongs to one operation, and is read and written under its lock only, once the operation has it.
  private let inputName: String?
  /// The value that the item was given; `nil` once it has been removed.
  private var input: (any Sendable)?
  private var sensitiveNames: Set<String>
  /// What was written, and what else it was given; no text is still to be made under the lock.
  private var written = [String: RecordedValue]()

  init(inputName: String? = nil, input: (any Sendable)? = nil, sensitiveNames: Set<String> = []) {
    self.inputName = inputName
    self.input = input
    self.sensitiveNames = sensitiveNames
  }

  func value(named name: String) -> (any Sendable)? {
    if !written.isEmpty, let entry = written[name] { return entry.value }
    return name == inputName ? input : nil
  }

  func isSensitive(_ name: String) -> Bool { !sensitiveNames.isEmpty && sensitiveNames.contains(name) }
  func markSensitive(_ name: String) { sensitiveNames.insert(name) }

  /// The values that the operation itself has written, without its input.
  func output(named name: String) -> (any Sendable)? { written[name]?.value }

  /// Writes a value, or removes the name; returns what was there, to be freed outside the lock.
  func write(_ new: RecordedValue?, named name: String, isSensitive: Bool) -> RecordedValue? {
    if isSensitive { sensitiveNames.insert(name) }
    let given = name == inputName ? input : nil
    let old = written[name] ?? given.map { RecordedValue(value: $0, text: nil) }
    written[name] = new
    if name == inputName, new == nil { input = nil }
    return old
  }
}
