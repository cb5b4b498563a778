/// A branch, or what always runs, to which nothing was added: what its closure does has happened while the flow was built.
enum EmptyBranchRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
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
      severity, .emptyBranch, at: path,
      "Nothing was added to it: its closure is called while the flow is built, and not when it runs.",
      remedy: "Add steps with $0.add, or call $0.addNothing() if it is to do nothing.")
  }
}
