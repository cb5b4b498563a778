extension Validation {
  /// Declared inputs and outputs are found by the names and types of properties, which a build may omit.
  static func hiddenPorts(at place: ValidationPlace) -> [FlowProblem] {
    place.ports.typeWithHiddenPorts.map { [FlowProblem(FlowError.hiddenPorts(of: $0), at: place.path)] } ?? []
  }

  /// The values that a step requires must have been written on every path that leads to it.
  static func missingInput(at place: ValidationPlace) -> [FlowProblem] {
    place.inputs.compactMap { input in
      guard input.isRequired, place.known[input.name]?.isMissingSomewhere == true else { return nil }
      if place.namesOfOtherBranches.contains(input.name) {
        return FlowProblem(
          .error, .misplacedCombine, at: place.path,
          "It reads <\(input.name)>, which another branch writes, and the cases before it are not combined.",
          remedy: "Call combine() before this step, so that it runs after every branch.", key: input.name)
      }
      let someone = place.known[input.name]?.writers.isEmpty == false
      return FlowProblem(
        .error, .missingData, at: place.path,
        someone
          ? "can't find <\(input.name)> in data bucket: there is a path on which no step writes it."
          : "can't find <\(input.name)> in data bucket: no step before writes it.",
        remedy:
          "Set <\(input.name)> in the flow's data bucket, declare it as an output of the step that writes it, or make it optional.",
        key: input.name)
    }
  }

  /// A value must be able to have the type that a step reads it as.
  static func mismatchedInput(at place: ValidationPlace) -> [FlowProblem] {
    mismatches(at: place, ofRequired: true).map { input, asked, found in
      FlowProblem(
        .error, .mismatchedData, at: place.path, "<\(input.name)> is read as <\(asked)>, but \(found).",
        remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
    }
  }

  /// The type that some inputs are read as, and what is found instead.
  static func mismatches(
    at place: ValidationPlace, ofRequired isRequired: Bool
  ) -> [(input: InputPort, asked: String, found: String)] {
    var found: [(input: InputPort, asked: String, found: String)] = []
    for input in place.inputs where input.isRequired == isRequired {
      for writer in place.known[input.name]?.writers ?? [] {
        guard let mismatch = mismatch(writer, input) else { continue }
        found.append((input, input.type.map { "\($0)" } ?? "an array", mismatch))
      }
    }
    return found
  }

  /// What is wrong with a value that is written, for an input that would read it; `nil` if it may fit.
  @inline(never)
  static func mismatch(_ writer: KnownData.Writer, _ input: InputPort) -> String? {
    switch writer {
    case .initial(let value, _):
      return input.accepts(value) ? nil : "the data bucket holds a <\(FoundType(of: value))> at first"
    case .step(let path, let type?):
      let read: Any.Type = input.type ?? [Any].self
      return TypeFit.isImpossible(type, as: read) ? "\(path) writes a <\(type)>" : nil
    case .step(_, nil):
      return nil
    }
  }

  /// A name keeps its type: a step that overwrites a value with one of another type is probably a mistake.
  static func changedType(at place: ValidationPlace) -> [FlowProblem] {
    place.ports.outputs.flatMap { output -> [FlowProblem] in
      guard let type = output.type else { return [] }
      return (place.known[output.name]?.writers ?? []).compactMap { writer in
        let earlier: (who: String, type: Any.Type)
        switch writer {
        case .initial(let value, _): earlier = ("the flow's data bucket", Swift.type(of: value))
        case .step(let path, let type?): earlier = ("\(path)", type)
        case .step(_, nil): return nil
        }
        guard TypeFit.isImpossible(earlier.type, as: type) else { return nil }
        return FlowProblem(
          .warning, .mismatchedData, at: place.path,
          "It writes a <\(type)> under <\(output.name)>, over the <\(earlier.type)> of \(earlier.who).",
          remedy: "Give one of them another key.", key: output.name)
      }
    }
  }

  /// A value that can't have the type of an optional input, or of one with a default, is never used.
  static func unusedValue(at place: ValidationPlace) -> [FlowProblem] {
    mismatches(at: place, ofRequired: false).map { input, asked, found in
      FlowProblem(
        .warning, .mismatchedData, at: place.path,
        "<\(input.name)> is read as <\(asked)>, but \(found): the step goes on without that value.",
        remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
    }
  }
}
