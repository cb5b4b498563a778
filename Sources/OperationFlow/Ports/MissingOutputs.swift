/// The outputs that steps of a run have declared but did not write, although they succeeded.
struct MissingOutputs: Sendable {
  /// The last step that has left a name out.
  private var owners = [String: String]()
  /// The number of the newest event at that time, or when it was last looked whether the name was removed since then.
  private var eventNumbers = [String: Int]()

  func owner(of name: String) -> (step: String, eventNumber: Int)? {
    owners[name].map { ($0, eventNumbers[name] ?? 0) }
  }

  /// Notes that the name was not removed up to an event, so that no one looks there again; or that it was, and that the
  /// step is no longer to blame.
  mutating func noteLook(for name: String, upTo eventNumber: Int, wasRemoved: Bool) {
    if wasRemoved { owners[name] = nil } else { eventNumbers[name] = max(eventNumber, eventNumbers[name] ?? 0) }
  }

  /// Records that a step succeeded without one of its outputs; returns the warning, unless that is already known.
  mutating func note(_ name: String, of step: String, at eventNumber: Int) -> String? {
    eventNumbers[name] = eventNumber
    guard owners.updateValue(step, forKey: name) != step else { return nil }
    return
      "<\(name)> is declared as an output, and was not written: write it before the step succeeds, or do not declare it."
  }
}
