extension Validation {
  /// An option that is called on a branch, and counts only in a flow that is run, is a mistake; a flow that is a step here may be
  /// run elsewhere, where it counts.
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
