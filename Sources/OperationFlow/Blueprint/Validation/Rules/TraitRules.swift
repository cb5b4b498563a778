extension Validation {
  func findInvalidTraits() {
    for id in blueprint.steps.indices where blueprint.has(.traits) {
      guard let options = blueprint.steps[id].options else { continue }
      for mistake in options.mistakes { report(mistake, at: path(of: id)) }
      for trait in options.repeated {
        report(
          .warning, .repeatedTrait, at: path(of: id), "It has more than one \(trait), of which only the last counts.",
          remedy: "Leave out the others.")
      }
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
