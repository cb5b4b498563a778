extension Validation {
  /// What was called on a branch, and counts only in a flow that is run, is a mistake; a flow that is a step here may be
  /// run elsewhere, where it counts.
  func findIgnoredOptions() {
    if blueprint.hasOnlyWork { return }
    for (block, node) in facts.paths.blocks {
      let isPart = facts.paths.isBranch(node) || blueprint.steps[node].isAlways
      for option in blueprint.blocks[block].ignoredOptions {
        let isData = option.hasPrefix("set(")
        let kind = isData ? "data is the whole run's" : "it is an option of a whole run"
        report(
          isPart ? .error : .warning, .misplacedOption, at: FlowPath(facts.paths, node),
          "\(option) is called on this \(isPart ? "branch" : "flow"), where it has no effect, because \(kind).",
          remedy: "Call it on the flow that is run" + (isData ? ", or write the value in a step." : "."))
      }
    }
  }
}
