extension Validation {
  /// A flow without steps does nothing.
  func findEmptyFlow() {
    guard blueprint.steps.isEmpty, blueprint.blocks[Blueprint.root].isUnfilled else { return }
    report(.warning, .emptyFlow, at: "the flow", "It has no steps.", remedy: "Add a step, or do not start the flow.")
  }

  /// A parallel step has branches, which are told apart by their names, and each branch has steps.
  func findInvalidBranches() {
    if blueprint.hasOnlyWork { return }
    // In a table of paths, branches follow the steps, in the order of the steps that they belong to.
    var branch = blueprint.steps.count
    for id in blueprint.steps.indices {
      switch blueprint.steps[id].kind {
      case .operation, .closure, .group: break
      case .flow(let block, _, _):
        if blueprint.steps[id].isAlways { findEmptyBlock(block, path(of: id)) }
      case .cases(let cases):
        for inner in cases.branches {
          findEmptyBlock(inner.block, FlowPath(facts.paths, branch))
          branch += 1
        }
      case .parallel(let branches):
        findInvalidNames(of: branches, id)
        for inner in branches {
          findEmptyBlock(inner.block, FlowPath(facts.paths, branch))
          branch += 1
        }
      }
    }
  }

  /// A branch, or what always runs, to which nothing was added: what its closure does has happened while the flow was built.
  private func findEmptyBlock(_ block: Blueprint.BlockID, _ path: @autoclosure () -> FlowPath) {
    guard blueprint.blocks[block].isUnfilled else { return }
    report(
      .error, .emptyBranch, at: path(),
      "Nothing was added to it: its closure is called while the flow is built, and not when it runs.",
      remedy: "Add steps with $0.add, or call $0.addNothing() if it is to do nothing.")
  }

  private func findInvalidNames(of branches: [Blueprint.ParallelBranch], _ id: Blueprint.StepID) {
    if branches.isEmpty {
      report(
        .error, .emptyParallel, at: path(of: id), "It has no branches.",
        remedy: "Add one in its closure, as in $0.branch(\"thumbnails\") { … }, or remove the step.")
    }
    var counts: [String: Int] = [:]
    for branch in branches { counts[branch.name, default: 0] += 1 }
    for (name, count) in counts.ordered(by: { $0.key < $1.key }) where count > 1 {
      report(
        .error, .repeatedBranch, at: path(of: id), "\(count) of its branches are called \"\(name)\".",
        remedy: "Give each branch a name of its own.")
    }
  }

  /// `combine()` joins branches; without branches it does nothing.
  func findLooseCombines() {
    for place in blueprint.looseCombines {
      report(
        .warning, .misplacedCombine, at: FlowPath(place), "combine() is called, and there are no cases to combine.",
        remedy: "Remove it, or add operations with a flowCase before it.")
    }
  }

  /// A branch that can never be taken: an earlier one has the same condition, or nothing writes its key.
  func findUnreachableCases(at place: ValidationPlace) {
    guard case .cases(let cases) = blueprint.steps[place.id].kind else { return }
    for (branch, isReachable) in zip(cases.branches, cases.areReachable) {
      let key = branch.condition.key
      if !isReachable {
        report(
          .warning, .unreachableCase, at: place.path.appending(branch.condition.text),
          "A branch before it has the same condition, and is taken instead.",
          remedy: "Change its condition, or remove it.", key: key)
      } else if let key, !place.known.mayHold(key) {
        report(
          .warning, .unreachableCase, at: place.path.appending(branch.condition.text),
          "It is taken for \(branch.condition.values.count == 1 ? "one value" : "some values") of <\(key)>, but nothing writes <\(key)>.",
          remedy: "Set <\(key)> in the flow's data bucket, or write it in a step before.", key: key)
      }
    }
  }
}

extension Blueprint.Cases {
  /// Whether each branch can ever be taken: if several have the same condition, the first is.
  var areReachable: [Bool] {
    var seen: [HeldValue] = []
    var hasOtherwise = false
    return branches.map { branch in
      guard let key = branch.condition.key else {
        defer { hasOtherwise = true }
        return !hasOtherwise
      }
      let place = seen.firstIndex { $0.key == key } ?? seen.count
      if place == seen.count { seen.append(HeldValue(key: key)) }
      return branch.condition.values.reduce(false) { seen[place].values.insert($1).inserted || $0 }
    }
  }

  /// Whether one of the branches is certain to be taken.
  func alwaysMatch(in known: KnownData?) -> Bool {
    if branches.contains(where: { $0.condition.key == nil }) { return true }
    guard coverAllValues, let key = branches.first?.condition.key else { return false }
    // A key that is missing has none of its type's values.
    return known?[key]?.isMissingSomewhere != true
  }
}
