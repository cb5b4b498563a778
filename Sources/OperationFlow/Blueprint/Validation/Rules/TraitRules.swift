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

  /// Reports a condition that is never met, because nothing writes its key, or nothing writes the right type.
  func findUnmetConditions(of step: Blueprint.StepID) {
    for condition in blueprint.steps[step].options?.conditions ?? [] {
      guard let input = condition.input else { continue }
      if let flowCase = condition.flowCase { findMisspeltValues(of: flowCase, .unmetCondition, at: path(of: step)) }
      findNeverHeld(
        input.name, input.type ?? Any.self, input.accepts, .unmetCondition, at: path(of: step),
        "It runs only for some values", for: "the condition")
    }
  }
}
