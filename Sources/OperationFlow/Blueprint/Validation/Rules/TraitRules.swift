extension Validation {
  /// The values of traits have to make sense.
  static func invalidTrait(in whole: ValidationWhole) -> [FlowProblem] {
    whole.specialSteps.flatMap { step, options in
      options.all.flatMap(\.mistakes).map {
        FlowProblem(.error, $0.code, at: whole.path(of: step), $0.problem + ".", remedy: $0.remedy)
      }
    }
  }

  /// A condition on a key that nothing writes, or that never holds its type, is never met.
  static func unmetCondition(at place: ValidationPlace) -> [FlowProblem] {
    place.ports.conditionInputs.compactMap { input in
      let type = input.type.map { "\($0)" } ?? "value"
      guard place.knownBefore.mayHold(input.name) else {
        return FlowProblem(
          .warning, .unmetCondition, at: place.path,
          "It runs only for some values of <\(input.name)>, but nothing writes <\(input.name)>.",
          remedy: "Set <\(input.name)> in the flow's data bucket, or write it in a step before.", key: input.name)
      }
      let writers = place.knownBefore[input.name]?.writers ?? []
      let mismatches = writers.compactMap { mismatch($0, input) }
      guard let found = mismatches.first, mismatches.count == writers.count else { return nil }
      return FlowProblem(
        .warning, .unmetCondition, at: place.path,
        "It runs only for some values of <\(input.name)> of type <\(type)>, but \(found).",
        remedy: "Write a value of type \(type) under <\(input.name)>, or give the condition a key of what is written.",
        key: input.name)
    }
  }
}
