extension Validation {
  /// Branches that run at the same time shouldn't write the same key: whichever is last overwrites the other.
  static func concurrentWrite(in whole: ValidationWhole) -> [FlowProblem] {
    guard whole.blueprint.steps.contains(where: { $0.isParallel }) else { return [] }
    let search = ConcurrentWrites(whole)
    search.walk()
    return search.found.ordered { ($0.parallel, $0.key) < ($1.parallel, $1.key) }.map { write in
      FlowProblem(
        .warning, .concurrentWrites, at: whole.path(of: write.parallel),
        "\(whole.path(of: write.first)) and \(whole.path(of: write.second)) may both write <\(write.key)> at the same "
          + "time: the one that writes last overwrites the other.",
        remedy: "Give each branch a key of its own, and join the values in a step after the branches.", key: write.key)
    }
  }
}

extension Blueprint.Step {
  fileprivate var isParallel: Bool { if case .parallel = kind { true } else { false } }
}

/// Finds the names that several branches of a parallel step declare to write.
///
/// It starts with the innermost blocks, without recursion. The names of a smaller part are added to those of a larger
/// one, so that the names of deeply nested steps aren't copied at every level.
private final class ConcurrentWrites {
  typealias Names = [String: Blueprint.StepID]

  private(set) var found: [(parallel: Blueprint.StepID, key: String, first: Blueprint.StepID, second: Blueprint.StepID)]
  private let whole: ValidationWhole
  /// The names that the steps of a block may write, each with one of these steps, for the blocks that are done.
  private var written: [Blueprint.BlockID: Names] = [:]

  init(_ whole: ValidationWhole) {
    self.whole = whole
    found = []
  }

  func walk() {
    var waiting = [(block: Blueprint.root, isDone: false)]
    while let (block, isDone) = waiting.popLast() {
      let steps = whole.blueprint.blocks[block].steps
      if isDone {
        written[block] = steps.reduce(into: [:]) { all, step in _ = Self.join(&all, names(of: step)) }
      } else {
        waiting.append((block, true))
        for step in steps { waiting += whole.blueprint.steps[step].innerBlocks.map { ($0, false) } }
      }
    }
  }

  private func names(of step: Blueprint.StepID) -> Names {
    let ports = whole.ports[step]
    var names: Names = [:]
    var seen: Set<String> = []
    for block in whole.blueprint.steps[step].innerBlocks {
      let inner = written.removeValue(forKey: block) ?? [:]
      for (key, first, second) in Self.join(&names, inner) where whole.blueprint.steps[step].isParallel {
        if seen.insert(key).inserted { found.append((step, key, first, second)) }
      }
    }
    for output in ports.outputs + ports.itemWrites where names[output.name] == nil { names[output.name] = step }
    return names
  }

  /// Adds the names of a later part; returns those that both have.
  private static func join(
    _ names: inout Names, _ later: Names
  ) -> [(key: String, first: Blueprint.StepID, second: Blueprint.StepID)] {
    let isLarger = later.count > names.count
    var all = isLarger ? later : names
    let fewer = isLarger ? names : later
    names = [:]
    var both: [(key: String, first: Blueprint.StepID, second: Blueprint.StepID)] = []
    for (key, step) in fewer {
      if let other = all[key] {
        both.append(isLarger ? (key, step, other) : (key, other, step))
      } else {
        all[key] = step
      }
    }
    names = all
    return both
  }
}
