import Foundation

/// The order in which a flow's parts have to end: by the order of its steps, and by the dependencies of its operations.
final class DependencyGraph {
  /// A dependency, possibly on an operation outside the flow.
  typealias Unmeetable = (step: Blueprint.StepID, dependency: Blueprint.StepID?)

  private let blueprint: Blueprint
  /// The step that contains a block; `nil` for the outermost.
  private var owners: [Blueprint.StepID?]
  /// The block that contains a step.
  private var blocks: [Blueprint.BlockID]
  private var dependencies: [(step: Blueprint.StepID, node: Int)] = []
  /// The nodes that each node waits for.
  ///
  /// A step has two, for its beginning and its end; operations outside the flow come after them.
  private var needed: [[Int]]

  /// `nil` if no operation of the flow waits for another.
  init?(_ blueprint: Blueprint) {
    var waiting: [(step: Blueprint.StepID, operation: FlowOperation)] = []
    for id in blueprint.instanceSteps {
      // Most operations have no dependencies, and checking that costs less than listing them.
      guard let operation = blueprint.steps[id].instance?.held, !operation.isReady else { continue }
      if !operation.dependencies.isEmpty { waiting.append((id, operation)) }
    }
    guard !waiting.isEmpty else { return nil }
    self.blueprint = blueprint
    owners = Array(repeating: nil, count: blueprint.blocks.count)
    blocks = Array(repeating: Blueprint.root, count: blueprint.steps.count)
    needed = Array(repeating: [], count: 2 * blueprint.steps.count)
    addOrder()
    addDependencies(waiting)
  }

  private static func begin(_ step: Blueprint.StepID) -> Int { 2 * step }
  private static func end(_ step: Blueprint.StepID) -> Int { 2 * step + 1 }

  private func addOrder() {
    for id in blueprint.steps.indices {
      needed[Self.end(id)].append(Self.begin(id))
      for block in blueprint.steps[id].innerBlocks {
        owners[block] = id
        if let last = blueprint.blocks[block].steps.last { needed[Self.end(id)].append(Self.end(last)) }
      }
    }
    for (block, steps) in blueprint.blocks.map(\.steps).enumerated() {
      for (index, id) in steps.enumerated() {
        blocks[id] = block
        if index > 0 {
          needed[Self.begin(id)].append(Self.end(steps[index - 1]))
        } else if let owner = owners[block] {
          needed[Self.begin(id)].append(Self.begin(owner))
        }
      }
    }
    guard let last = blueprint.blocks[Blueprint.root].steps.last else { return }
    for id in blueprint.steps.indices where blueprint.steps[id].isAlways {
      needed[Self.begin(id)].append(Self.end(last))
    }
  }

  private func addDependencies(_ waiting: [(step: Blueprint.StepID, operation: FlowOperation)]) {
    var nodes: [ObjectIdentifier: Int] = [:]
    for id in blueprint.instanceSteps {
      if let operation = blueprint.steps[id].instance?.held { nodes[ObjectIdentifier(operation)] = Self.end(id) }
    }
    // Held, so that none is freed and replaced by another at the same address.
    var outside: [Operation] = []
    var unseen: [(node: Int, operation: Operation)] = waiting.map { (Self.end($0.step), $0.operation) }
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
        if node < 2 * blueprint.steps.count { dependencies.append((node / 2, other)) }
      }
    }
    withExtendedLifetime(outside) {}
  }

  /// The step that ends with a node; `nil` for an operation outside the flow.
  private func step(_ node: Int) -> Blueprint.StepID? { node < 2 * blueprint.steps.count ? node / 2 : nil }

  /// The dependencies that can never be met, because the other operation waits for this one.
  var unmeetable: [Unmeetable] {
    let cycles = Cycles(needed)
    return dependencies.filter { cycles.areInOne(Self.end($0.step), $0.node) }.map { ($0.step, step($0.node)) }
      .ordered { ($0.step, $0.dependency ?? .max) < ($1.step, $1.dependency ?? .max) }
  }

  /// The dependencies on operations in a branch that may not be taken when the waiting operation runs.
  var uncertain: [(step: Blueprint.StepID, dependency: Blueprint.StepID)] {
    let cycles = Cycles(needed)
    return dependencies.compactMap { dependency in
      guard let other = step(dependency.node), !cycles.areInOne(Self.end(dependency.step), dependency.node),
        isInAnotherBranch(other, than: dependency.step)
      else { return nil }
      return (dependency.step, other)
    }.ordered { ($0.step, $0.dependency) < ($1.step, $1.dependency) }
  }

  private func isInAnotherBranch(_ other: Blueprint.StepID, than step: Blueprint.StepID) -> Bool {
    var around: Set<Blueprint.BlockID> = []
    var next: Blueprint.StepID? = step
    while let id = next {
      around.insert(blocks[id])
      next = owners[blocks[id]]
    }
    next = other
    while let id = next, !around.contains(blocks[id]), let owner = owners[blocks[id]] {
      if case .cases = blueprint.steps[owner].kind { return true }
      next = owner
    }
    return false
  }
}

/// The nodes of a graph that can reach each other, found without recursion.
private struct Cycles {
  private var component: [Int]

  func areInOne(_ node: Int, _ other: Int) -> Bool { component[node] == component[other] }

  /// Tarjan's algorithm.
  init(_ edges: [[Int]]) {
    component = Array(repeating: -1, count: edges.count)
    var index = Array(repeating: -1, count: edges.count)
    var lowest = index
    var count = 0
    var open: [Int] = []
    for start in edges.indices where index[start] < 0 {
      var path: [(node: Int, next: Int)] = [(start, 0)]
      while let (node, next) = path.last {
        if next == 0 {
          (index[node], lowest[node]) = (count, count)
          count += 1
          open.append(node)
        } else {
          lowest[node] = min(lowest[node], lowest[edges[node][next - 1]])
        }
        if let (place, other) = Self.unseen(edges[node], from: next, index, component, &lowest[node]) {
          path[path.count - 1].next = place + 1
          path.append((other, 0))
          continue
        }
        path.removeLast()
        guard lowest[node] == index[node] else { continue }
        while let last = open.popLast() {
          component[last] = node
          if last == node { break }
        }
      }
    }
  }

  /// The next node that has not been visited; visited ones update how far back the path reaches.
  private static func unseen(
    _ edges: [Int], from start: Int, _ index: [Int], _ component: [Int], _ lowest: inout Int
  ) -> (place: Int, node: Int)? {
    for place in start..<edges.count {
      let other = edges[place]
      if index[other] < 0 { return (place, other) }
      if component[other] < 0 { lowest = min(lowest, index[other]) }
    }
    return nil
  }
}
