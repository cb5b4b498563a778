extension Validation {
  /// Declared inputs and outputs are found by the names and types of properties, which a build may omit.
  func findHiddenPorts(at place: ValidationPlace) {
    if let type = place.ports.typeWithHiddenPorts { report(FlowError.hiddenPorts(of: type), at: place.path) }
  }

  /// The values that a step is certain to read: a group's items read only if there certainly are some.
  private func inputs(_ place: ValidationPlace) -> [StepPort] {
    // Most steps aren't groups, and their inputs need no new array.
    place.ports.itemInputs.isEmpty || !hasItems(place)
      ? place.ports.inputs : place.ports.inputs + place.ports.itemInputs
  }

  /// Whether a step, or each item of it, recovers from what it can't read.
  func recovers(_ place: ValidationPlace) -> Bool {
    blueprint.has(.attempts) && blueprint.steps[place.id].options?.attempts?.recovers == true
  }

  /// How much it matters that a step can't read a value: it may go on without it, or recover.
  private func severity(of input: StepPort, at place: ValidationPlace) -> FlowProblem.Severity {
    guard input.isRequired else { return .warning }
    // What a group's items are made from is read before there are any that could recover.
    if case .group(let group) = blueprint.steps[place.id].kind, input === group.input { return .error }
    return recovers(place) ? .warning : .error
  }

  /// The values that a step requires must have been written on every path that leads to it.
  func findMissingInputs(at place: ValidationPlace) {
    for input in inputs(place) where input.isRequired {
      let name = input.name
      guard let fact = place.known[name], fact.isMissingSomewhere else { continue }
      let severity = severity(of: input, at: place)
      if isWrittenInOtherBranch(name, than: place.id) {
        report(
          severity, .misplacedCombine, at: place.path,
          "It reads <\(name)>, which another branch writes, and the cases before it are not combined.",
          remedy: "Call combine() before this step, so that it runs after every branch.", key: name)
        continue
      }
      let reason = fact.writers.isEmpty ? "no step before writes it." : "there is a path on which no step writes it."
      report(
        severity, .missingData, at: place.path, "can't find <\(name)> in data bucket: \(reason)",
        remedy:
          "Set <\(name)> in the flow's data bucket, declare it as an output of the step that writes it, or make it optional.",
        key: name)
    }
  }

  /// Whether a step in an earlier branch of cases that aren't combined writes a name.
  private func isWrittenInOtherBranch(_ name: String, than step: Blueprint.StepID) -> Bool {
    guard hasOpenCases else { return false }
    return blueprint.steps.indices.contains { other in
      guard facts.ports[other].outputs.contains(where: { $0.name == name }),
        let (around, branches) = parting(other, step), branches.0 < branches.1,
        case .cases(let cases) = blueprint.steps[around].kind
      else { return false }
      return !cases.areCombined
    }
  }

  /// A value must be able to have the type that a step reads it as, unless that goes without it, or recovers.
  func findMismatchedInputs(at place: ValidationPlace) {
    for input in inputs(place) where input.isRequired || !findsErrorsOnly {
      for writer in place.known[input.name]?.writers ?? [] {
        guard let found = writer.mismatch(input) else { continue }
        let severity = severity(of: input, at: place)
        let asked = input.type.map { "\($0)" } ?? "an array"
        let without = input.isRequired ? ": it recovers from that." : ": the step goes on without that value."
        let problem = "<\(input.name)> is read as <\(asked)>, but \(found)\(severity == .error ? "." : without)"
        report(
          severity, .mismatchedData, at: place.path, problem,
          remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
      }
    }
  }

  /// A name keeps its type: a step that overwrites a value with one of another type is probably a mistake.
  func findChangedTypes(at place: ValidationPlace) {
    for output in place.ports.outputs {
      guard let type = output.type else { continue }
      for writer in place.known[output.name]?.writers ?? [] {
        let who: String
        let earlier: Any.Type
        switch writer {
        case .initial(let value, _):
          who = "the flow's data bucket"
          earlier = Swift.type(of: value)
        case .step(let path, let type?):
          who = "\(path)"
          earlier = type
        case .step(_, nil): continue
        }
        guard TypeFit.isImpossible(earlier, as: type) else { continue }
        report(
          .warning, .mismatchedData, at: place.path,
          "It writes a <\(type)> under <\(output.name)>, over the <\(earlier)> of \(who).",
          remedy: "Give one of them another key.", key: output.name)
      }
    }
  }
}

extension KnownData {
  /// Why a name is certain never to hold a value of a type, if it holds any; `nil` if it may.
  func mismatch(_ name: String, _ type: Any.Type, _ accepts: (any Sendable) -> Bool) -> String? {
    let writers = self[name]?.writers ?? []
    let found = writers.compactMap { $0.mismatch(type, accepts) }
    return found.count == writers.count ? found.first : nil
  }

  /// Whether a key is certain to hold a value of a case's type; what nothing is known of isn't held against a step.
  func mustHold(_ value: CaseValue, under key: String) -> Bool {
    guard let fact = self[key] else { return true }
    return !fact.isMissingSomewhere && !fact.writers.contains { $0.mismatch(value.type, value.accepts) != nil }
  }
}

extension KnownData.Writer {
  /// What is wrong with what is written, for an input that would read it; `nil` if it may fit.
  func mismatch(_ input: StepPort) -> String? { mismatch(input.type ?? [Any].self, input.accepts) }

  func mismatch(_ read: Any.Type, _ accepts: (any Sendable) -> Bool) -> String? {
    switch self {
    case .initial(let value, _):
      return accepts(value) ? nil : "the data bucket holds a <\(foundType(of: value).name)> at first"
    case .step(let path, let type?):
      return TypeFit.isImpossible(type, as: read) ? "\(path) writes a <\(type)>" : nil
    case .step(_, nil): return nil
    }
  }
}
