extension Validation {
  func findInvalidTraits() {
    for id in blueprint.steps.indices where blueprint.has(.traits) {
      for mistake in blueprint.steps[id].options?.mistakes ?? [] { report(mistake, at: path(of: id)) }
    }
  }

  /// A condition on a key that nothing writes, or that never holds its type, is never met.
  func findUnmetConditions(at place: ValidationPlace) {
    for input in place.ports.conditionInputs {
      findNeverHeld(
        input.name, input.type ?? Any.self, input.accepts, place.knownBefore, .unmetCondition, at: place.path,
        "It runs only for some values", for: "the condition")
    }
  }
}
