/// The values of one operation alone: what a group's item is given and what it writes, or what is set by hand on an
/// operation that runs outside a flow.
///
/// Most items are given one value and write one, so the first is kept without a dictionary.
struct ItemScope: Sendable {
  private let inputName: String?
  private let input: (any Sendable)?
  private let inputIsSensitive: Bool
  private var written: [String: any Sendable] = [:]

  init() {
    inputName = nil
    input = nil
    inputIsSensitive = false
  }

  init(inputName: String, input: any Sendable, isSensitive: Bool) {
    self.inputName = inputName
    self.input = input
    self.inputIsSensitive = isSensitive
  }

  func value(named name: String) -> (any Sendable)? {
    if !written.isEmpty, let value = written[name] { return value }
    return name == inputName ? input : nil
  }

  func isSensitive(_ name: String) -> Bool {
    inputIsSensitive && name == inputName
  }

  /// What the operation itself has written; its input is none of it.
  func output(named name: String) -> (any Sendable)? { written[name] }

  /// Writes, and returns what stood there before.
  mutating func write(_ value: (any Sendable)?, named name: String) -> (any Sendable)? {
    let old = self.value(named: name)
    written[name] = value
    return old
  }
}
