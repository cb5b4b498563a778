extension Validation {
  /// A flow without steps does nothing.
  static func emptyFlow(in whole: ValidationWhole) -> [FlowProblem] {
    guard whole.blueprint.steps.isEmpty, whole.blueprint.blocks[Blueprint.root].isUnfilled else { return [] }
    return [
      FlowProblem(
        .warning, .emptyFlow, at: "the flow", "It has no steps.", remedy: "Add a step, or do not start the flow.")
    ]
  }

  /// A branch, or what always runs, to which nothing was added: what its closure does has happened while the flow was built.
  static func emptyBranch(in whole: ValidationWhole) -> [FlowProblem] {
    let blueprint = whole.blueprint
    // Most flows have no other block than their own.
    guard blueprint.blocks.count > 1 else { return [] }
    var problems: [FlowProblem] = []
    // In a table of paths, branches follow the steps, in the order of the steps that they belong to.
    var branch = blueprint.steps.count
    for (id, step) in blueprint.steps.enumerated() {
      switch step.kind {
      case .cases, .parallel:
        for block in step.innerBlocks {
          if blueprint.blocks[block].isUnfilled { problems.append(problem(at: FlowPath(whole.paths, branch))) }
          branch += 1
        }
      case .flow(let block, _, _) where step.isAlways && blueprint.blocks[block].isUnfilled:
        problems.append(problem(at: whole.path(of: id)))
      case .operation, .closure, .group, .flow: break
      }
    }
    return problems
  }

  private static func problem(at path: FlowPath) -> FlowProblem {
    FlowProblem(
      .error, .emptyBranch, at: path,
      "Nothing was added to it: its closure is called while the flow is built, and not when it runs.",
      remedy: "Add steps with $0.add, or call $0.addNothing() if it is to do nothing.")
  }

  /// A parallel step runs its branches, so it needs at least one.
  static func emptyParallel(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.steps.indices.compactMap { id in
      guard case .parallel(let branches) = whole.blueprint.steps[id].kind, branches.isEmpty else { return nil }
      return FlowProblem(
        .error, .emptyParallel, at: whole.path(of: id), "It has no branches.",
        remedy: "Add one in its closure, as in $0.branch(\"thumbnails\") { … }, or remove the step.")
    }
  }

  /// `combine()` joins branches; without branches it does nothing.
  static func looseCombine(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.looseCombines.map { place in
      FlowProblem(
        .warning, .misplacedCombine, at: FlowPath(place),
        "combine() is called, and there are no cases to combine.",
        remedy: "Remove it, or add operations with a flowCase before it.")
    }
  }

  /// The branches of a parallel step are told apart by their names.
  static func repeatedBranch(in whole: ValidationWhole) -> [FlowProblem] {
    whole.blueprint.steps.indices.flatMap { id -> [FlowProblem] in
      guard case .parallel(let branches) = whole.blueprint.steps[id].kind else { return [] }
      var counts: [String: Int] = [:]
      for branch in branches { counts[branch.name, default: 0] += 1 }
      return counts.filter { $0.value > 1 }.ordered { $0.key < $1.key }.map { name, count in
        FlowProblem(
          .error, .repeatedBranch, at: whole.path(of: id), "\(count) of its branches are called \"\(name)\".",
          remedy: "Give each branch a name of its own.")
      }
    }
  }

  /// A branch that can never be taken: an earlier one has the same condition, or nothing writes its key.
  static func unreachableCase(at place: ValidationPlace) -> [FlowProblem] {
    guard case .cases(let cases) = place.step.kind else { return [] }
    var seen = SeenConditions()
    return cases.branches.compactMap { branch in
      // A path is as long as it is deep, so it is created only for a problem.
      lazy var path = place.path.appending(branch.condition.text)
      guard seen.insert(branch.condition) else {
        return FlowProblem(
          .warning, .unreachableCase, at: path, "A branch before it has the same condition, and is taken instead.",
          remedy: "Change its condition, or remove it.", key: branch.condition.key)
      }
      guard let key = branch.condition.key, !place.known.mayHold(key) else { return nil }
      return FlowProblem(
        .warning, .unreachableCase, at: path,
        "It is taken for \(branch.condition.values.count == 1 ? "one value" : "some values") of <\(key)>, but nothing writes <\(key)>.",
        remedy: "Set <\(key)> in the flow's data bucket, or write it in a step before.", key: key)
    }
  }
}
