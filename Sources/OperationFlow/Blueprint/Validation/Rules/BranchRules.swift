extension Validation {
  /// Reports a flow without steps, which does nothing.
  func findEmptyFlow() {
    guard blueprint.steps.isEmpty, blueprint.blocks[Blueprint.root].isUnfilled else { return }
    report(.warning, .emptyFlow, at: "the flow", "It has no steps.", remedy: "Add a step, or do not start the flow.")
  }

  /// Reports parallel steps without branches or with repeated names, and branches or `always` blocks without steps.
  func findInvalidBranches() {
    if blueprint.hasOnlyWork { return }
    for id in blueprint.steps.indices {
      guard case .parallel(let branches) = blueprint.steps[id].kind else { continue }
      if branches.isEmpty {
        report(
          .error, .emptyParallel, at: path(of: id), "It has no branches.",
          remedy: "Add one in its closure, as in $0.branch(\"thumbnails\") { … }, or remove the step.")
      }
      var counts = [String: Int]()
      for branch in branches { counts[branch.name, default: 0] += 1 }
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
        report(
          .error, .repeatedBranch, at: path(of: id), "\(count) of its branches are called \"\(name)\".",
          remedy: "Give each branch a name of its own.")
      }
    }
    for (block, node) in facts.paths.blocks where blueprint.blocks[block].isUnfilled {
      guard facts.paths.isBranch(node) || blueprint.steps[node].isAlways else { continue }
      report(
        .error, .emptyBranch, at: FlowPath(facts.paths, node),
        "Nothing was added to it: its closure is called while the flow is built, and not when it runs.",
        remedy: "Add steps with $0.add, or call $0.addNothing() if it is to do nothing.")
    }
  }

  /// Reports a `combine()` without branches, which does nothing.
  func findLooseCombines() {
    for (block, node) in [(Blueprint.root, nil)] + facts.paths.blocks {
      for count in blueprint.blocks[block].looseCombines {
        let place = count == 0 ? "the start" : "behind step \(count)"
        report(
          .warning, .misplacedCombine, at: node.map { FlowPath(facts.paths, $0).appending(place) } ?? FlowPath(place),
          "combine() is called, and there are no cases to combine.",
          remedy: "Remove it, or add operations with a flowCase before it.")
      }
    }
  }

  /// Reports a branch that is never chosen: an earlier one has its condition, or its key never has its value's type.
  func findUnreachableCases(at place: ValidationPlace) {
    guard case .cases(let cases) = blueprint.steps[place.id].kind else { return }
    for (branch, taken) in zip(cases.branches, cases.takenConditions) {
      let condition = facts.shown(branch.condition)
      if taken == nil {
        report(
          .warning, .unreachableCase, at: path(of: place.id).appending(condition.text),
          "A branch before it has the same condition, and is taken instead.",
          remedy: "Change its condition, or remove it.", key: condition.key)
      } else if let key = condition.key, let value = condition.values.first {
        let some = condition.values.count == 1 ? "one value" : "some values"
        findNeverHeld(
          key, value.type, value.accepts, .unreachableCase, at: path(of: place.id).appending(condition.text),
          "It is taken for \(some)", for: "the cases")
        findMisspeltValues(
          of: branch.condition, .unreachableCase, at: path(of: place.id).appending(condition.text))
      }
    }
  }

  /// Reports a branch or step that is never reached, because nothing writes its key, or nothing writes the right type.
  func findNeverHeld(
    _ key: String, _ type: Any.Type, _ accepts: (any Sendable) -> Bool, _ code: FlowError.Code,
    at path: @autoclosure () -> FlowPath, _ dependence: String, for reader: String
  ) {
    guard known.isSure else { return }
    if known[key].writers.isEmpty {
      report(
        .warning, code, at: path(), "\(dependence) of <\(key)>, but nothing writes <\(key)>.",
        remedy: "Set <\(key)> in the flow's data bucket, or write it in a step before.", key: key)
    } else if let found = known[key].mismatch(type, accepts) {
      report(
        .warning, code, at: path(), "\(dependence) of <\(key)> of type <\(type)>, but \(text(of: found)).",
        remedy: "Write a value of type \(type) under <\(key)>, or give \(reader) a key of what is written.", key: key)
    }
  }
}

extension Blueprint.Cases {
  /// The conditions with the values for which no earlier branch is chosen; `nil` for a branch without any.
  var takenConditions: [FlowCase?] {
    var seen = [String: Set<CaseValue>]()
    var hasOtherwise = false
    return branches.map { branch in
      guard let key = branch.condition.key else {
        defer { hasOtherwise = true }
        return hasOtherwise ? nil : branch.condition
      }
      let values = branch.condition.values.filter { seen[key, default: []].insert($0).inserted }
      return values.isEmpty ? nil : branch.condition.holding(values)
    }
  }

  var hasOtherwise: Bool { branches.contains { $0.condition.key == nil } }
}
