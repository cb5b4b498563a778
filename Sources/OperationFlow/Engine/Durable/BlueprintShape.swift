extension Blueprint {
  /// A line for each step: what a journal's entries need to mean the same in a later process.
  ///
  /// What may change between two processes isn't part of it: closures, widths, weights, delays and times.
  func shape(_ paths: PathTable) -> [String] {
    steps.indices.map { id in
      let step = steps[id]
      return "\(paths.text(of: id)): " + ([step.shapeOfKind] + step.shapeOfTraits).joined(separator: ", ")
    }
  }
}

extension Blueprint.Step {
  fileprivate var shapeOfKind: String {
    switch kind {
    case .operation: "operation"
    case .closure: "closure"
    case .group(let group):
      (group.isStream ? "group of a sequence" : "group") + (group.keepsOutputs ? " with outputs" : "")
        + " that tolerates \(group.tolerance.rule)"
    case .cases(let cases): "\(cases.branches.count) cases" + (cases.areCombined ? ", combined" : "")
    case .flow: isAlways ? "always" : "flow"
    case .parallel(let branches): "\(branches.count) branches"
    }
  }

  fileprivate var shapeOfTraits: [String] {
    var traits: [String] = []
    if let plan = options.attempts {
      if plan.count > 1 { traits.append("at most \(plan.count) attempts") }
      if plan.recovers { traits.append("recovers") }
      if plan.isTimed { traits.append("timed") }
    }
    if !options.conditions.isEmpty { traits.append("on a condition") }
    if options.special?.undo != nil { traits.append("undone") }
    if let results = options.special?.results {
      if results.kept != nil { traits.append("keeps results") }
      if results.handsOn { traits.append("hands on results") }
    }
    return traits
  }
}

extension FlowError {
  /// What differs first between the flow that began a run and the one that is to resume it; `nil` if they are alike.
  static func changedFlow(_ id: String, from old: [String], to new: [String]) -> FlowError? {
    guard old != new else { return nil }
    let place = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
    let was = place < old.count ? "was <\(ValueText.cut(old[place]))>" : "was not there"
    let isNow = place < new.count ? "is <\(ValueText.cut(new[place]))>" : "is missing"
    return FlowError(
      .changedFlow, "the run \(shown(id)) was begun by a flow of another shape: a step \(was), and now \(isNow)",
      remedy: "Resume it with the flow that began it, or start a new run under another id.")
  }
}
