/// The values that a step requires must have been written on every path that leads to it.
enum MissingInputRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    place.inputs.compactMap { input in
      guard input.isRequired, place.known[input.name]?.isMissingSomewhere == true else { return nil }
      if place.namesOfOtherBranches.contains(input.name) {
        return FlowProblem(
          severity, .misplacedCombine, at: place.path,
          "It reads <\(input.name)>, which another branch writes, and the cases before it are not combined.",
          remedy: "Call combine() before this step, so that it runs after every branch.", key: input.name)
      }
      let someone = place.known[input.name]?.writers.isEmpty == false
      return FlowProblem(
        severity, .missingData, at: place.path,
        someone
          ? "can't find <\(input.name)> in data bucket: there is a path on which no step writes it."
          : "can't find <\(input.name)> in data bucket: no step before writes it.",
        remedy:
          "Set <\(input.name)> in the flow's data bucket, declare it as an output of the step that writes it, or make it optional.",
        key: input.name)
    }
  }
}
