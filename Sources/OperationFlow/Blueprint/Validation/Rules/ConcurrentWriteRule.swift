extension Validation {
  /// Branches that run at the same time shouldn't write the same key: whichever is last overwrites the other.
  func findConcurrentWrites() {
    if blueprint.hasOnlyWork { return }
    var found: [(parallel: Blueprint.StepID, key: String, first: Blueprint.StepID, second: Blueprint.StepID)] = []
    // Of steps that write a key, in the order of the tree, two beside each other are in different branches if any two are.
    var writers = [String: Blueprint.StepID]()
    var isAtEnd = Array(repeating: false, count: facts.paths.count)
    for node in facts.paths.outermostFirst {
      if let parent = facts.paths.parent(of: node) { isAtEnd[node] = isAtEnd[parent] }
      guard node < blueprint.steps.count else { continue }
      if blueprint.steps[node].isAlways { isAtEnd[node] = true }
      if isAtEnd[node] { continue }
      for output in facts.ports[node].outputs + facts.ports[node].itemWrites {
        guard let first = writers.updateValue(node, forKey: output.name), let around = parting(first, node)?.around,
          case .parallel = blueprint.steps[around].kind
        else { continue }
        found.append((around, output.name, first, node))
      }
    }
    var last: (parallel: Blueprint.StepID, key: String)?
    for write in found.sorted(by: { ($0.parallel, $0.key) < ($1.parallel, $1.key) }) {
      if let last, last == (write.parallel, write.key) { continue }
      last = (write.parallel, write.key)
      report(
        .warning, .concurrentWrites, at: path(of: write.parallel),
        "\(path(of: write.first)) and \(path(of: write.second)) may both write <\(write.key)> at the same "
          + "time: the one that writes last overwrites the other.",
        remedy: "Give each branch a key of its own, and join the values in a step after the branches.", key: write.key)
    }
  }

  /// The step in which two steps are in different branches, and these; `nil` if there is none.
  func parting(_ step: Blueprint.StepID, _ other: Blueprint.StepID) -> (around: Blueprint.StepID, branches: (Int, Int))?
  {
    let paths = facts.paths
    guard let branches = zip(paths.line(to: step), paths.line(to: other)).first(where: { $0 != $1 }),
      paths.isBranch(branches.0), let around = paths.parent(of: branches.0)
    else { return nil }
    return (around, branches)
  }
}
