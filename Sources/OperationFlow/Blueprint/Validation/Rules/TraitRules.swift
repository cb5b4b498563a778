extension Validation {
  func findInvalidTraits() {
    for id in blueprint.steps.indices where blueprint.has(.traits) {
      for mistake in blueprint.steps[id].options?.mistakes ?? [] { report(mistake, at: path(of: id)) }
    }
  }

  /// A condition on a key that nothing writes, or that never holds its type, is never met.
  func findUnmetConditions(at place: ValidationPlace) {
    for input in place.ports.conditionInputs {
      let name = input.name
      guard place.knownBefore.mayHold(name) else {
        report(
          .warning, .unmetCondition, at: place.path,
          "It runs only for some values of <\(name)>, but nothing writes <\(name)>.",
          remedy: "Set <\(name)> in the flow's data bucket, or write it in a step before.", key: name)
        continue
      }
      let type = input.type ?? Any.self
      guard let found = place.knownBefore.mismatch(name, type, input.accepts) else { continue }
      report(
        .warning, .unmetCondition, at: place.path,
        "It runs only for some values of <\(name)> of type <\(type)>, but \(found).",
        remedy: "Write a value of type \(type) under <\(name)>, or give the condition a key of what is written.",
        key: name)
    }
  }
}
