extension Validation {
  /// Reports branches that run at the same time and write the same key: the last write overwrites the other.
  func findConcurrentWrites() {
    if blueprint.hasOnlyWork { return }
    var found: [(parallel: Blueprint.StepID, key: String, first: Blueprint.StepID, second: Blueprint.StepID)] = []
    // In the order of the tree, if any two writers of a key are in different branches, so are two neighbours.
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

  /// Returns the step in which two steps are in different branches, and these branches; `nil` if there is none.
  func parting(_ step: Blueprint.StepID, _ other: Blueprint.StepID) -> (around: Blueprint.StepID, branches: (Int, Int))?
  {
    let paths = facts.paths
    guard let branches = zip(paths.line(to: step), paths.line(to: other)).first(where: { $0 != $1 }),
      paths.isBranch(branches.0), let around = paths.parent(of: branches.0)
    else { return nil }
    return (around, branches)
  }
}
