import OperationFlow

/// The steps in a diagram, of a flow before it runs or of a record, in one flat list.
struct DiagramTree {
  /// The kind of a node, by which its shape is chosen.
  enum Kind: Hashable {
    case operation, closure, group, cases, branch, flow, parallel, always
  }

  struct Node {
    /// The position of the node that contains this one; -1 at the outermost level.
    var parent: Int
    var kind: Kind
    /// The lines in the node's box; the first is its name.
    var lines: [String]
    /// The state of the step; `nil` in the diagram of a flow before it runs.
    var state: FlowRecord.State?
  }

  var flowName: String
  var nodes: [Node] = []
  /// The ending of the run; `nil` if there is no run, or if it is under way.
  var ending: FlowRecord.Ending?
  /// True if the tree is that of a run.
  var isRun = false

  /// The positions of the nodes directly within each node, in order; the last element has the outermost nodes.
  var children: [[Int]] {
    var children = [[Int]](repeating: [], count: nodes.count + 1)
    for (index, node) in nodes.enumerated() {
      children[nodes.indices.contains(node.parent) ? node.parent : nodes.count].append(index)
    }
    return children
  }
}

extension DiagramTree {
  /// Creates the tree of a flow before it runs.
  init(_ blueprint: FlowBlueprint) {
    self.init(flowName: blueprint.name)
    var waiting = blueprint.steps.reversed().map { (step: $0, parent: -1) }
    while let (step, parent) = waiting.popLast() {
      nodes.append(Node(parent: parent, kind: Kind(FlowRecord.Kind(step.kind)), lines: step.diagramLines))
      let place = nodes.count - 1
      var within: [(step: FlowBlueprint.Step, parent: Int)] = []
      for branch in step.branches {
        switch step.kind {
        case .cases, .parallel:
          nodes.append(Node(parent: place, kind: .branch, lines: [branch.name]))
          within += branch.steps.map { ($0, nodes.count - 1) }
        default: within += branch.steps.map { ($0, place) }
        }
      }
      waiting += within.reversed()
    }
  }

  /// Creates the tree of a record.
  init(_ record: FlowRecord) {
    self.init(flowName: record.flowName, ending: record.ending, isRun: true)
    let tree = StepTree(record)
    let aftermath = RunAftermath(record)
    nodes = zip(tree.steps, tree.parents).map { step, parent in
      let undos = aftermath.undoTexts(of: step.id)
      return Node(
        parent: parent ?? -1, kind: Kind(step.kind),
        lines: step.diagramLines(hidesUndo: !undos.isEmpty) + undos, state: step.state)
    }
  }
}

extension DiagramTree.Kind {
  fileprivate init(_ kind: FlowRecord.Kind) {
    switch kind {
    case .operation: self = .operation
    case .closure, .other: self = .closure
    case .group: self = .group
    case .cases: self = .cases
    case .branch: self = .branch
    case .flow: self = .flow
    case .parallel: self = .parallel
    case .always: self = .always
    }
  }
}
