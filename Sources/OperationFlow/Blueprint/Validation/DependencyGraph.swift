import Foundation

/// The order in which a flow's parts have to end: by the order of its steps, and by the dependencies of its operations.
struct DependencyGraph {
  /// The dependencies that can never be met, because the other operation waits for this one; it may be outside the flow.
  private(set) var unmeetable: [(step: Blueprint.StepID, dependency: Blueprint.StepID?)] = []
  /// The dependencies on operations in a branch that may not be taken when the waiting operation runs.
  private(set) var uncertain: [(step: Blueprint.StepID, dependency: Blueprint.StepID)] = []
  /// What each node waits for: those of the beginning and the end of each step, then forks, and operations outside the flow.
  var needed: [[Int]]

  /// `nil` if no operation of the flow waits for another.
  init?(_ blueprint: Blueprint, _ paths: PathTable) {
    var waiting: [(node: Int, operation: Operation)] = []
    for id in blueprint.instanceSteps {
      // Most are ready, and asking costs less than listing dependencies.
      guard let operation = blueprint.steps[id].instance?.held, !operation.isReady else { continue }
      if !operation.dependencies.isEmpty { waiting.append((Self.end(id), operation)) }
    }
    guard !waiting.isEmpty else { return nil }
    needed = Array(repeating: [], count: 2 * blueprint.steps.count)
    addOrder(of: blueprint)
    let dependencies = addDependencies(of: blueprint, waiting)
    let isCaught = neverEnding
    for (node, other) in dependencies.ordered(by: { $0 < $1 }) {
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

  /// Adds that steps come one after the other, and between two nodes.
  private mutating func addOrder(of steps: [Blueprint.StepID], after first: Int?, before last: Int? = nil) {
    var before = first
    for id in steps {
      if let before { needed[Self.begin(id)].append(before) }
      before = Self.end(id)
    }
    if let last, let before { needed[last].append(before) }
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
    // Those that were seen are held, so that none is freed and replaced by another at the same address.
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
