import OperationFlow

/// The boxes and arrows of a flow in the order in which they are written, independent of the format.
///
/// The initializer uses its own stack instead of recursion, because steps can be nested without a limit.
struct Diagram {
  enum Shape: Hashable {
    case start, end, step, closure, group, cases, joint
  }

  /// An element of the diagram's text; a box is opened before its contents, and closed after them.
  enum Part {
    /// A box around all parts up to its `close`.
    case open(id: Int, lines: [String], state: FlowRecord.State?, isAlways: Bool)
    case close
    case shape(id: Int, Shape, lines: [String], state: FlowRecord.State?)
  }

  struct Arrow {
    let from: Int
    let to: Int
    /// The text beside the arrow; `nil` for none.
    let label: String?
    /// True if the run has not followed the arrow.
    let isDashed: Bool
  }

  private(set) var parts: [Part] = []
  private(set) var arrows: [Arrow] = []

  /// An arrow whose target isn't known yet.
  private struct LooseEnd {
    let from: Int
    var label: String?
    var isDashed = false
  }

  /// The most arrows that lead from branches to the same step; more of them meet in a joint.
  ///
  /// Without the joint, each level of nested cases would copy all of the arrows.
  private static let looseEndLimit = 8

  private var loose: [LooseEnd] = []
  private var shapeCount = 0

  init(_ tree: DiagramTree) {
    let children = tree.children
    add(.start, [tree.flowName], tree.isRun ? .succeeded : nil)
    var atEnd: [[Int]] = []
    walk(children.last ?? [], tree, children, &atEnd)
    // The steps that always run at the end are last; those of the last flow run first.
    for nodes in atEnd.reversed() { walk(nodes, tree, children, &atEnd, areAtEnd: true) }
    if let ending = tree.ending {
      add(.end, ["\(ending.result.rawValue), \(DurationText.of(ending.duration))"], ending.result.state)
    } else {
      add(.end, [tree.isRun ? "under way" : "end"], tree.isRun ? .waiting : nil)
    }
  }

  private enum Step {
    case enter(Int), leave(Int)
  }

  /// Adds the parts of nodes and of all nodes within them.
  ///
  /// Appends the nodes that run at the end of the run to `atEnd` instead, unless `areAtEnd` is true.
  private mutating func walk(
    _ nodes: [Int], _ tree: DiagramTree, _ children: [[Int]], _ atEnd: inout [[Int]], areAtEnd: Bool = false
  ) {
    var waiting: [Step] = []
    // For each open step with branches: the loose ends of its complete branches.
    var branches: [[LooseEnd]] = []
    // For each open step with branches: the shape from which its branches start.
    var forks: [Int] = []
    func enter(_ nodes: [Int]) {
      let isLater = { (index: Int) in tree.nodes[index].kind == .always && !areAtEnd }
      let later = nodes.filter(isLater)
      if !later.isEmpty { atEnd.append(later) }
      waiting += nodes.reversed().filter { !isLater($0) }.map(Step.enter)
    }
    enter(nodes)
    while let step = waiting.popLast() {
      switch step {
      case .enter(let index):
        let node = tree.nodes[index]
        waiting.append(.leave(index))
        switch node.kind {
        case .operation: add(.step, node.lines, node.state)
        case .closure: add(.closure, node.lines, node.state)
        case .group: add(.group, node.lines, node.state)
        case .cases:
          add(.cases, node.lines, node.state)
          forks.append(shapeCount - 1)
          branches.append([])
        case .flow, .always:
          open(node, index)
          if children[index].allSatisfy({ tree.nodes[$0].kind == .always }) { add(.joint, [], node.state) }
        case .parallel:
          open(node, index)
          add(.joint, [], node.state)
          forks.append(shapeCount - 1)
          branches.append([])
        case .branch:
          guard let fork = forks.last else { break }
          let isDashed = node.state.map { !$0.wasReached } ?? false
          loose = [LooseEnd(from: fork, label: node.lines.first, isDashed: isDashed)]
        }
        enter(children[index])
      case .leave(let index):
        leave(tree.nodes[index], &branches, &forks)
      }
    }
  }

  private mutating func leave(_ node: DiagramTree.Node, _ branches: inout [[LooseEnd]], _ forks: inout [Int]) {
    switch node.kind {
    case .operation, .closure, .group: break
    case .flow, .always: parts.append(.close)
    case .branch:
      guard let last = branches.indices.last else { return }
      branches[last] += loose
    case .cases:
      let ends = branches.popLast() ?? []
      let fork = forks.popLast() ?? 0
      loose = ends.isEmpty ? [LooseEnd(from: fork)] : ends
      if loose.count > Self.looseEndLimit { add(.joint, [], node.state) }
    case .parallel:
      let ends = branches.popLast() ?? []
      let fork = forks.popLast() ?? 0
      loose = ends.isEmpty ? [LooseEnd(from: fork)] : ends
      add(.joint, [], node.state == .running ? .waiting : node.state)
      parts.append(.close)
    }
  }

  private mutating func open(_ node: DiagramTree.Node, _ id: Int) {
    parts.append(.open(id: id, lines: node.lines, state: node.state, isAlways: node.kind == .always))
  }

  /// Adds a shape: all loose ends lead to the shape, and the next arrow starts there.
  private mutating func add(_ shape: Shape, _ lines: [String], _ state: FlowRecord.State?) {
    let (id, isReached) = (shapeCount, state.map(\.wasReached) ?? true)
    shapeCount += 1
    parts.append(.shape(id: id, shape, lines: lines, state: state))
    for end in loose {
      arrows.append(Arrow(from: end.from, to: id, label: end.label, isDashed: end.isDashed || !isReached))
    }
    loose = [LooseEnd(from: id, isDashed: !isReached)]
  }
}

extension FlowRecord.Ending.Result {
  var state: FlowRecord.State {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }
}
