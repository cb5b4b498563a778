/// The outputs that steps of a run have declared but did not write, although they succeeded.
struct MissingOutputs: Sendable {
  /// The step that has left a name out, and the number of the newest event at that time.
  struct Owner: Sendable {
    let step: String
    let eventNumber: Int

    /// An error about the name that says why it is missing.
    func explaining(_ error: FlowError, key: String) -> FlowError {
      FlowError(
        error.code, "\(error.problem), declared by \(step), which succeeded without assigning it",
        remedy: "Write <\(key)> in \(step) before it succeeds, or do not declare it there.", flow: error.flow,
        step: error.step, path: error.path, attempt: error.attempt, key: key)
    }
  }

  private var owners: [String: Owner] = [:]

  /// The last step that has left a name out.
  subscript(name: String) -> Owner? { owners[name] }

  /// Records that a step succeeded without one of its outputs; returns the warning, unless that is already known.
  mutating func note(_ name: String, of owner: Owner) -> String? {
    guard owners.updateValue(owner, forKey: name)?.step != owner.step else { return nil }
    return
      "<\(name)> is declared as an output, and was not written: write it before the step succeeds, or do not declare it."
  }
}
