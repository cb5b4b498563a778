/// Checks that a closure uses only the keys that its step declares; each use of another key is found once in a run.
final class DeclaredKeyCheck: Sendable {
  private let declared: DeclaredKeys
  /// The step's number in its blueprint.
  private let step: Int
  private let found: UndeclaredUses

  init(_ declared: DeclaredKeys, step: Int, found: UndeclaredUses) {
    self.declared = declared
    self.step = step
    self.found = found
  }

  /// The warning about reading a name; `nil` if the step declares the name, or if the run has already been warned.
  func warning(reading name: String) -> String? {
    guard !declared.allowsReading(name), found.isNew(step, name, .read) else { return nil }
    return "<\(name)> is read, and the step's .reads(…) does not declare it: add it there, so that it can be checked."
  }

  /// The warning about writing a name; `nil` if the step declares the name, or if the run has already been warned.
  func warning(writing name: String) -> String? {
    guard !declared.allowsWriting(name), found.isNew(step, name, .write) else { return nil }
    return
      "<\(name)> is written, and the step's .writes(…) does not declare it: add it there, so that it can be checked."
  }

  /// The warning about a value that can't be read as its key's type; `nil` if the run has already been warned.
  func warning(of value: any Sendable, named name: String, as type: Any.Type) -> String? {
    found.isNew(step, name, .mismatch) ? unusedValue(named: name, as: type, found: value) : nil
  }
}

/// The uses of keys that a run has been warned about.
final class UndeclaredUses: Sendable {
  enum Kind: Sendable, Hashable { case read, write, mismatch }

  private struct Use: Hashable {
    let step: Int
    let name: String
    let kind: Kind
  }

  private let uses = Locked<Set<Use>>([])

  /// Whether this use is found for the first time.
  func isNew(_ step: Int, _ name: String, _ kind: Kind) -> Bool {
    uses.withLock { $0.insert(Use(step: step, name: name, kind: kind)).inserted }
  }
}
