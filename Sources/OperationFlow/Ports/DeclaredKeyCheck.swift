/// Tells whether a closure keeps to the keys that its step declares; each use of another key is found once in a run.
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

  /// The warning about reading a name; `nil` if the step declares the name, or if the run has been warned already.
  func warning(reading name: String) -> String? {
    guard !declared.allowsReading(name), found.isNew(step: step, name: name, isWrite: false) else { return nil }
    return "<\(name)> is read, and the step's .reads(…) does not declare it: add it there, so that it can be checked."
  }

  /// The warning about writing a name; `nil` if the step declares the name, or if the run has been warned already.
  func warning(writing name: String) -> String? {
    guard !declared.allowsWriting(name), found.isNew(step: step, name: name, isWrite: true) else { return nil }
    return
      "<\(name)> is written, and the step's .writes(…) does not declare it: add it there, so that it can be checked."
  }
}

/// The uses of undeclared keys that a run has been warned of.
final class UndeclaredUses: Sendable {
  private struct Use: Hashable {
    let step: Int
    let name: String
    let isWrite: Bool
  }

  private let uses = Locked<Set<Use>>([])

  /// Whether the use is found for the first time.
  func isNew(step: Int, name: String, isWrite: Bool) -> Bool {
    uses.withLock { $0.insert(Use(step: step, name: name, isWrite: isWrite)).inserted }
  }
}
