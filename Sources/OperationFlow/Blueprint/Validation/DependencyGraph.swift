import Foundation

/// The order in which a flow's parts have to end: by the order of its steps, and by the dependencies of its operations.
struct DependencyGraph {
  /// The dependencies that can never be met: the other operation, which may be outside the flow, waits for this one.
  private(set) var unmeetable: [(step: Blueprint.StepID, dependency: Blueprint.StepID?)] = []
  /// The dependencies on operations in a branch that may not be chosen before the waiting operation runs.
  private(set) var uncertain: [(step: Blueprint.StepID, dependency: Blueprint.StepID)] = []
  /// The nodes that each node waits for.
  ///
  /// First are two nodes of each step, its start and its end; then forks, and operations outside the flow.
  var needed: [[Int]]

  /// Returns `nil` if no operation of the flow waits for another.
  init?(_ blueprint: Blueprint, _ paths: PathTable) {
    var waiting: [(node: Int, operation: Operation)] = []
    for id in blueprint.instanceSteps {
      // Most operations are ready, and that check costs less than a list of dependencies.
      guard let operation = blueprint.steps[id].instance?.held, !operation.isReady else { continue }
      if !operation.dependencies.isEmpty { waiting.append((Self.end(id), operation)) }
    }
    guard !waiting.isEmpty else { return nil }
    needed = Array(repeating: [], count: 2 * blueprint.steps.count)
    addOrder(of: blueprint)
    let dependencies = addDependencies(of: blueprint, waiting)
    let isCaught = neverEnding
    for (node, other) in dependencies.sorted(by: { $0 < $1 }) {
      let step = node / 2
      let dependency = other < 2 * blueprint.steps.count ? other / 2 : nil
      if isCaught[node], isCaught[other], waits(other, for: node) {
        unmeetable.append((step, dependency))
      } else if let dependency, blueprint.mayPassOver(dependency, before: step, paths) {
        uncertain.append((step, dependency))
      }
    }
  }

  static func begin(_ step: Blueprint.StepID) -> Int { 2 * step }
  static func end(_ step: Blueprint.StepID) -> Int { 2 * step + 1 }

  private mutating func addOrder(of blueprint: Blueprint) {
    addOrder(of: blueprint.blocks[Blueprint.root].steps, after: nil)
    if blueprint.has(.always) { addOrderAtEnd(of: blueprint) }
    for id in blueprint.steps.indices {
      let begin = Self.begin(id)
      let end = Self.end(id)
      needed[end].append(begin)
      for block in blueprint.steps[id].innerBlocks {
        addOrder(of: blueprint.blocks[block].steps, after: begin, before: end)
      }
    }
  }

  /// Adds that steps run one after the other, and between two nodes.
  private mutating func addOrder(of steps: [Blueprint.StepID], after first: Int?, before last: Int? = nil) {
    var before = first
    for id in steps {
      if let before { needed[Self.begin(id)].append(before) }
      before = Self.end(id)
    }
    if let last, let before { needed[last].append(before) }
  }

  /// Adds the dependencies of operations, and returns those of the flow's own operations.
  private mutating func addDependencies(
    of blueprint: Blueprint, _ waiting: [(node: Int, operation: Operation)]
  ) -> [(node: Int, other: Int)] {
    var dependencies: [(node: Int, other: Int)] = []
    var nodes = [ObjectIdentifier: Int]()
    for id in blueprint.instanceSteps {
      if let operation = blueprint.steps[id].instance?.held { nodes[ObjectIdentifier(operation)] = Self.end(id) }
    }
    // The operations that were found stay referenced, so that no other operation gets the address of a freed one.
    var found = waiting
    var seenCount = 0
    while seenCount < found.count {
      let (node, operation) = found[seenCount]
      seenCount += 1
      for dependency in operation.dependencies {
        let other = nodes[ObjectIdentifier(dependency)] ?? needed.count
        if other == needed.count {
          nodes[ObjectIdentifier(dependency)] = other
          needed.append([])
          found.append((other, dependency))
        }
        needed[node].append(other)
        if node < 2 * blueprint.steps.count { dependencies.append((node, other)) }
      }
    }
    return dependencies
  }

  /// True for each node that waits for itself, or for a node that does.
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
  /// Returns true if a step is in a branch of cases that doesn't contain the other step.
  fileprivate func mayPassOver(_ step: StepID, before other: StepID, _ paths: PathTable) -> Bool {
    let around = paths.line(to: other)
    return paths.line(to: step).contains { node in
      guard paths.isBranch(node), !around.contains(node), let cases = paths.parent(of: node) else { return false }
      return if case .cases = steps[cases].kind { true } else { false }
    }
  }
}

// The order of the `always` steps of blocks: those of a block that was started later run first.
extension DependencyGraph {
  /// Parts that run one after the other, or at the same time, as the first and the last of their nodes.
  private struct Stretch {
    let first: Int
    let last: Int
  }

  /// The stretches of the `always` steps of blocks.
  private struct Stretches {
    /// The stretch of the blocks within a block.
    var within = [Blueprint.BlockID: Stretch]()
    /// The stretch of the block itself.
    var own = [Blueprint.BlockID: Stretch]()
  }

  /// Adds that the `always` steps run one after the other, after the last step of the flow.
  mutating func addOrderAtEnd(of blueprint: Blueprint) {
    var blocks = [Blueprint.root]
    var count = 0
    while count < blocks.count {
      let block = blueprint.blocks[blocks[count]]
      for step in block.steps { blocks += blueprint.steps[step].innerBlocks }
      blocks += block.always
      count += 1
    }
    var stretches = Stretches()
    // The blocks within a block are handled before it.
    for id in blocks.reversed() {
      let block = blueprint.blocks[id]
      stretches.within[id] = joined(block.steps.reversed().map { atEnd(of: $0, in: blueprint, stretches) })
      stretches.own[id] = joined(
        block.always.flatMap { blueprint.blocks[$0].steps }.flatMap { step in
          [Stretch(first: Self.begin(step), last: Self.end(step)), atEnd(of: step, in: blueprint, stretches)]
        })
    }
    let whole = joined([stretches.within[Blueprint.root], stretches.own[Blueprint.root]])
    if let whole, let last = blueprint.blocks[Blueprint.root].steps.last { needed[whole.first].append(Self.end(last)) }
  }

  /// Returns the stretch of the `always` steps of the blocks within a step.
  private mutating func atEnd(of step: Blueprint.StepID, in blueprint: Blueprint, _ known: Stretches) -> Stretch? {
    switch blueprint.steps[step].kind {
    case .operation, .closure, .group: return nil
    case .flow(let block, _, _): return joined([known.within[block], known.own[block]])
    case .cases(let cases):
      // Only one of the branches is chosen.
      return forked(cases.branches.map { joined([known.within[$0.block], known.own[$0.block]]) })
    case .parallel(let branches):
      // The branches are started in order, and before anything within them.
      let within = forked(branches.map { known.within[$0.block] })
      return joined([within] + branches.reversed().map { known.own[$0.block] })
    }
  }

  /// Adds that stretches run one after the other, and returns them as one.
  private mutating func joined(_ stretches: [Stretch?]) -> Stretch? {
    let stretches = stretches.compactMap(\.self)
    guard let first = stretches.first, let last = stretches.last else { return nil }
    for (earlier, later) in zip(stretches, stretches.dropFirst()) { needed[later.first].append(earlier.last) }
    return Stretch(first: first.first, last: last.last)
  }

  /// Adds that stretches run in any order, between the two nodes of a fork, and returns the fork.
  private mutating func forked(_ stretches: [Stretch?]) -> Stretch? {
    let stretches = stretches.compactMap(\.self)
    guard stretches.count > 1 else { return stretches.first }
    let fork = Stretch(first: needed.count, last: needed.count + 1)
    needed += [[], stretches.map(\.last)]
    for stretch in stretches { needed[stretch.first].append(fork.first) }
    return fork
  }
}
