extension Validation {
  /// Reports options of a whole run that were set on a part of a flow.
  ///
  /// On a branch, they are errors. On a flow that is a step, they are warnings: it may also be run by itself.
  func findIgnoredOptions() {
    if blueprint.hasOnlyWork { return }
    for (block, node) in facts.paths.blocks {
      let isPart = facts.paths.isBranch(node) || blueprint.steps[node].isAlways
      for option in blueprint.blocks[block].ignoredOptions {
        report(
          isPart ? .error : .warning, .misplacedOption, at: FlowPath(facts.paths, node),
          "\(option.method) is called on this \(isPart ? "branch" : "flow"), where it has no effect, because "
            + "\(option.reason).",
          remedy: "Call it on the flow that is run\(option.alternative.map { ", or \($0)" } ?? "").")
      }
    }
  }
}
