extension Validation {
  /// Reports a class whose inputs and outputs can't be found, because the build omits the names of properties.
  func findHiddenPorts(at place: ValidationPlace) {
    if let type = place.ports.typeWithHiddenPorts { report(FlowError.hiddenPorts(of: type), at: path(of: place.id)) }
  }

  /// Returns the values that a step is certain to read; those of a group's items if it certainly has any.
  private func inputs(_ place: ValidationPlace) -> [StepPort] {
    // Most steps aren't groups, and need no new array.
    place.ports.itemInputs.isEmpty || !hasItems(place)
      ? place.ports.inputs : place.ports.inputs + place.ports.itemInputs
  }

  /// Returns true if a step, or each of its items, recovers from values that it can't read.
  func recovers(_ place: ValidationPlace) -> Bool {
    blueprint.has(.attempts) && blueprint.steps[place.id].options?.attempts?.recovers == true
  }

  /// Returns the severity of a value that a step can't read: a warning if the step runs without it, or recovers.
  private func severity(of input: StepPort, at place: ValidationPlace) -> FlowProblem.Severity {
    guard input.isRequired else { return .warning }
    // The array of a group's items is read before there are any items that could recover.
    if case .group(let group) = blueprint.steps[place.id].kind, input === group.input { return .error }
    return recovers(place) ? .warning : .error
  }

  /// Reports required values that are written on no path to the step, or not on every path.
  func findMissingInputs(at place: ValidationPlace) {
    guard known.isSure else { return }
    for input in inputs(place) where input.isRequired {
      let (name, key) = (input.name, known[input.name])
      guard key.writers.isEmpty || lacksWriter(key) else { continue }
      let severity = key.writers.isEmpty ? severity(of: input, at: place) : .warning
      if isWrittenInOtherBranch(name, than: place.id) {
        report(
          severity, .misplacedCombine, at: path(of: place.id),
          "It reads <\(name)>, which another branch writes, and the cases before it are not combined.",
          remedy: "Call combine() before this step, so that it runs after every branch.", key: name)
        continue
      }
      let later = key.writers.isEmpty ? laterWriter(of: name, than: place.id) : nil
      let reason =
        if let later {
          "no step before writes it, but \(path(of: later)) does later."
        } else if key.writers.isEmpty {
          "no step before writes it."
        } else {
          "there is a path on which no step writes it."
        }
      let isSetInBranch = blueprint.blocks.contains { $0.ignoredNames.contains(name) }
      let remedy =
        if isSetInBranch {
          "Set <\(name)> on the flow that is run, because what is set on a branch has no effect."
        } else if later != nil {
          "Move that step before this one, set <\(name)> in the flow's data bucket, or make it optional."
        } else {
          "Set <\(name)> in the flow's data bucket, declare it as an output of the step that writes it, or make it optional."
        }
      report(
        severity, .missingData, at: path(of: place.id), "can't find <\(name)> in data bucket: \(reason)",
        remedy: remedy,
        key: name)
    }
  }

  /// Returns the last step that writes a name, if it runs after the given one, in the same block or in one around it.
  private func laterWriter(of name: String, than step: Blueprint.StepID) -> Blueprint.StepID? {
    guard let last = lastWriters[name],
      let (own, other) = zip(facts.paths.line(to: step), facts.paths.line(to: last)).first(where: { $0 != $1 })
    else { return nil }
    // Steps of a block are numbered in its order. Branches start together, or only one of them is chosen.
    return own < other && !facts.paths.isBranch(own) ? last : nil
  }

  /// Returns true if one step or value writes a key, and the run may get here without that write.
  private func lacksWriter(_ key: KnownKey) -> Bool {
    key.hasGap && key.writers.count { !$0.isUnknown } == 1 && !isTold(key)
  }

  /// Returns true if the conditions around the place may determine on which path a key was written.
  private func isTold(_ key: KnownKey) -> Bool { key.partedBy.contains { known[$0].values.isNarrower(than: $1) } }

  /// Returns true if a step in an earlier branch of cases that aren't combined writes a name.
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

  /// Reports values that can't have the type as which a step reads them.
  func findMismatchedInputs(at place: ValidationPlace) {
    guard known.isSure else { return }
    for input in inputs(place) where input.isRequired || !findsErrorsOnly {
      let key = known[input.name]
      let found = key.writers.compactMap { $0.mismatch(input.type ?? [Any].self, input.accepts) }
      let isPossible = found.count < key.writers.count
      if isPossible, isTold(key) || key.writers.contains(where: \.isUnknown) { continue }
      let severity = isPossible ? .warning : severity(of: input, at: place)
      let asked = input.type.map { "\($0)" } ?? "an array"
      for mismatch in found {
        let end =
          if severity == .error {
            "."
          } else if !input.isRequired {
            ": the step goes on without that value."
          } else if recovers(place) {
            ": it recovers from that."
          } else {
            " on some path."
          }
        report(
          severity, .mismatchedData, at: path(of: place.id),
          "<\(input.name)> is read as <\(asked)>, but \(text(of: mismatch))\(end)",
          remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
      }
    }
  }

  func text(of mismatch: KnownKey.Mismatch) -> String {
    switch mismatch {
    case .initial(let type): "the data bucket holds a <\(type)> at first"
    case .step(let step, let type): "\(path(of: step)) writes a <\(type)>"
    }
  }

  /// Reports a step that overwrites a value with one of another type, which is probably a mistake.
  func findChangedTypes(at place: ValidationPlace) {
    guard known.isSure else { return }
    for output in place.ports.outputs {
      guard let type = output.type else { continue }
      for writer in known[output.name].writers {
        let who: String
        let earlier: Any.Type
        switch writer {
        case .initial(let value, _): (who, earlier) = ("the flow's data bucket", Swift.type(of: value))
        case .step(let step, let type): (who, earlier) = ("\(path(of: step))", type)
        case .unknown: continue
        }
        guard TypeFit.isImpossible(earlier, as: type) else { continue }
        report(
          .warning, .mismatchedData, at: path(of: place.id),
          "It writes a <\(type)> under <\(output.name)>, over the <\(earlier)> of \(who).",
          remedy: "Give one of them another key.", key: output.name)
      }
    }
  }
}
