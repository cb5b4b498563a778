/// The outputs that steps of a run have declared but did not write, although they succeeded.
struct MissingOutputs: Sendable {
  private var owners: [String: String] = [:]

  /// Records that a step succeeded without one of its outputs; returns the warning, unless that is already known.
  mutating func note(_ name: String, of step: String) -> String? {
    guard owners.updateValue(step, forKey: name) != step else { return nil }
    return
      "<\(name)> is declared as an output, and was not written: write it before the step succeeds, or do not declare it."
  }

  /// The same error; if a name is missing because of one of these steps, an error that says so.
  func explaining(_ error: FlowError) -> FlowError {
    guard error.code == .missingData, let key = error.key, let step = owners[key] else { return error }
    return FlowError(
      error.code, "\(error.problem), declared by \(step), which succeeded without assigning it",
      remedy: "Write <\(key)> in \(step) before it succeeds, or do not declare it there.", flow: error.flow,
      step: error.step, path: error.path, attempt: error.attempt, key: key)
  }
}
