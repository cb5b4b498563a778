import Foundation

/// The order in which a flow's parts have to end: by the order of its steps, and by the dependencies of its operations.
struct DependencyGraph {
  /// The dependencies that can never be met, because the other operation waits for this one; it may be outside the flow.
  private(set) var unmeetable: [(step: Blueprint.StepID, dependency: Blueprint.StepID?)] = []
  /// The dependencies on operations in a branch that may not be taken when the waiting operation runs.
  private(set) var uncertain: [(step: Blueprint.StepID, dependency: Blueprint.StepID)] = []
  /// The nodes that each node waits for: two of each step, for its beginning and its end, then operations outside the flow.
  private var needed: [[Int]]

  /// `nil` if no operation of the flow waits for another.
  init?(_ blueprint: Blueprint, _ paths: PathTable) {
    var waiting: [(node: Int, operation: Operation)] = []
    for id in blueprint.instanceSteps {
      // Most operations have no dependencies, and checking that costs less than listing them.
      guard let operation = blueprint.steps[id].instance?.held, !operation.isReady else { continue }
      if !operation.dependencies.isEmpty { waiting.append((Self.end(id), operation)) }
    }
    guard !waiting.isEmpty else { return nil }
    needed = Array(repeating: [], count: 2 * blueprint.steps.count)
    addOrder(of: blueprint)
    let dependencies = addDependencies(of: blueprint, waiting)
    let isCaught = neverEnding
    for (node, other) in dependencies.ordered(by: { $0 < $1 }) {
      let (step, dependency) = (node / 2, other < 2 * blueprint.steps.count ? other / 2 : nil)
      if isCaught[node], isCaught[other], waits(other, for: node) {
        unmeetable.append((step, dependency))
      } else if let dependency, blueprint.mayPassOver(dependency, before: step, paths) {
        uncertain.append((step, dependency))
      }
    }
  }

  private static func begin(_ step: Blueprint.StepID) -> Int { 2 * step }
  private static func end(_ step: Blueprint.StepID) -> Int { 2 * step + 1 }

  private mutating func addOrder(of blueprint: Blueprint) {
    for id in blueprint.steps.indices { needed[Self.end(id)].append(Self.begin(id)) }
    addOrder(of: Blueprint.root, in: nil, blueprint)
    // The steps that a block always runs at its end come one after the other.
    for block in blueprint.blocks {
      var last: Blueprint.StepID?
      for always in block.always {
        for step in blueprint.blocks[always].steps {
          if let last { needed[Self.begin(step)].append(Self.end(last)) }
          last = step
        }
      }
    }
    for id in blueprint.steps.indices {
      for block in blueprint.steps[id].innerBlocks { addOrder(of: block, in: id, blueprint) }
      if blueprint.steps[id].isAlways, let last = blueprint.blocks[Blueprint.root].steps.last {
        needed[Self.begin(id)].append(Self.end(last))
      }
    }
  }

  private mutating func addOrder(of block: Blueprint.BlockID, in owner: Blueprint.StepID?, _ blueprint: Blueprint) {
    var before = owner.map(Self.begin)
    for id in blueprint.blocks[block].steps {
      if let before { needed[Self.begin(id)].append(before) }
      before = Self.end(id)
    }
    if let owner, let before { needed[Self.end(owner)].append(before) }
  }

  /// Adds what operations wait for, and returns it for those of the flow.
  private mutating func addDependencies(
    of blueprint: Blueprint, _ waiting: [(node: Int, operation: Operation)]
  ) -> [(node: Int, other: Int)] {
    var dependencies: [(node: Int, other: Int)] = []
    var nodes = [ObjectIdentifier: Int]()
    for id in blueprint.instanceSteps {
      if let operation = blueprint.steps[id].instance?.held { nodes[ObjectIdentifier(operation)] = Self.end(id) }
    }
    // Held, so that none is freed and replaced by another at the same address.
    var outside: [Operation] = []
    var unseen = waiting
    while let (node, operation) = unseen.popLast() {
      for dependency in operation.dependencies {
        let known = nodes[ObjectIdentifier(dependency)]
        let other = known ?? needed.count
        if known == nil {
          nodes[ObjectIdentifier(dependency)] = other
          needed.append([])
          outside.append(dependency)
          unseen.append((other, dependency))
        }
        needed[node].append(other)
        if node < 2 * blueprint.steps.count { dependencies.append((node, other)) }
      }
    }
    withExtendedLifetime(outside) {}
    return dependencies
  }

  /// Whether each node waits for itself, or for one that does.
  private var neverEnding: [Bool] {
    var missing = needed.map(\.count)
    var waiting = [[Int]](repeating: [], count: needed.count)
    for (node, others) in needed.enumerated() { for other in others { waiting[other].append(node) } }
    var ended = missing.indices.filter { missing[$0] == 0 }
    while let node = ended.popLast() {
      for later in waiting[node] {
        missing[later] -= 1
        if missing[later] == 0 { ended.append(later) }
      }
    }
    return missing.map { $0 > 0 }
  }

  private func waits(_ node: Int, for other: Int) -> Bool {
    var isSeen = Array(repeating: false, count: needed.count)
    var found = [node]
    while let next = found.popLast() {
      if next == other { return true }
      for later in needed[next] where !isSeen[later] {
        isSeen[later] = true
        found.append(later)
      }
    }
    return false
  }
}

extension Blueprint {
  /// Whether a step is in a branch of cases that another one isn't in.
  fileprivate func mayPassOver(_ step: StepID, before other: StepID, _ paths: PathTable) -> Bool {
    let around = paths.line(to: other)
    return paths.line(to: step).contains { node in
      guard paths.isBranch(node), !around.contains(node), let cases = paths.parent(of: node) else { return false }
      return if case .cases = steps[cases].kind { true } else { false }
    }
  }
}
