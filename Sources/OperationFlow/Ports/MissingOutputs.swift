/// The outputs that steps of a run have declared but did not write, although they succeeded.
struct MissingOutputs: Sendable {
  /// By name, the last step that has left it out, and the newest event then, or when its removal was last looked for.
  private(set) var owners = [String: (step: String, eventNumber: Int)]()

  /// Notes that the name was not removed up to an event, so that no one looks there again, or that it was.
  mutating func noteLook(for name: String, upTo eventNumber: Int, wasRemoved: Bool) {
    guard let owner = owners[name] else { return }
    owners[name] = wasRemoved ? nil : (owner.step, max(eventNumber, owner.eventNumber))
  }

  /// Records that a step succeeded without one of its outputs; returns the warning, unless that is already known.
  mutating func note(_ name: String, of step: String, at eventNumber: Int) -> String? {
    guard owners.updateValue((step, eventNumber), forKey: name)?.step != step else { return nil }
    return
      "<\(name)> is declared as an output, and was not written: write it before the step succeeds, or do not declare it."
  }
}
