/// A value that isn't stored is missing if a durable run ends between the step that writes it and one that requires it.
///
/// Only flows that declare such keys have it, which are those of durable runs.
enum UnstoredValueRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    place.unstoredNames.isEmpty ? [] : place.inputs.compactMap { problem($0, at: place) }
  }

  private static func problem(_ input: InputPort, at place: ValidationPlace) -> FlowProblem? {
    guard input.isRequired, place.unstoredNames.contains(input.name) else { return nil }
    let writers = (place.known[input.name]?.writers ?? []).compactMap { writer in
      if case .step(let path, _) = writer, path.step >= 0 { path } else { nil }
    }
    guard let writer = writers.first else { return nil }
    return FlowProblem(
      severity, .missingData, at: place.path,
      "<\(input.name)> isn't stored: if a durable run is resumed after \(writer) has written it, it is missing here.",
      remedy: "Make <\(input.name)> in this step, or pass it to run(id:in:with:) whenever you resume the run.",
      key: input.name)
  }
}
