extension RunEngine {
  /// Warns that a step has succeeded without an output that it declares, and keeps this for the step that misses it.
  func outputIsMissing(_ name: String, _ source: FlowEvent.Source) {
    let place = paths.path(of: Int(source.step)).map { " (\($0))" } ?? ""
    let owner = source.description + place
    if let warning = state.withLock({ $0.rareOrNew.missingOutputs.note(name, of: owner) }) {
      recorder.record(.warned(warning), source: source)
    }
  }

  /// Checks whether a step that has succeeded has written what its traits declare.
  func checkOutputs(_ source: FlowEvent.Source) {
    guard source.item == nil, let declared = blueprint.steps[Int(source.step)].options.declared else { return }
    for output in declared.writes where !bucket.contains(output.name) { outputIsMissing(output.name, source) }
  }

  /// The settlement with what is known about the reason for it.
  func explained(_ settlement: Settlement) -> Settlement {
    guard case .failed(let error as FlowError) = settlement else { return settlement }
    return .failed(state.withLock { $0.rare?.missingOutputs }?.explaining(error) ?? error)
  }
}
