import OperationFlow

/// The layout of a flow's diagram: boxes with their places, for `PageDiagramDrawing`.
///
/// The size of a diagram is limited. Of many steps in a row, it shows the first, the last, and some that did not
/// succeed. A step that is nested too deeply is one box, with the number of steps within it.
struct PageDiagram {
  enum Kind {
    /// The flow itself.
    case flow
    /// A step that contains no others, or whose steps aren't shown.
    case box(Int)
    /// A step or branch around those within it.
    case frame(Int)
    /// Consecutive steps that are left out.
    case gap([Int])
  }

  struct Node {
    let kind: Kind
    let depth: Int
    var children: [Int] = []
    var width = 0
    var height = 0
    var x = 0
    var y = 0
  }

  private enum Limit {
    static let boxes = 400
    static let depth = 8
    static let beside = 12
    static let inARow = 24
  }

  let tree: StepTree
  /// The nodes, each before those within it; the first is the flow.
  var nodes: [Node] = [Node(kind: .flow, depth: 0)]

  init(_ tree: StepTree) {
    self.tree = tree
    choose()
    measure()
    place()
  }

  // MARK: Choice of nodes

  private mutating func choose() {
    var next = 0
    while next < nodes.count {
      let node = nodes[next]
      let within: [Int]
      switch node.kind {
      case .flow: within = tree.roots
      case .frame(let step): within = tree.children[step]
      case .box, .gap: within = []
      }
      for shown in picked(within, isSplit: isSplit(node.kind)) {
        nodes[next].children.append(nodes.count)
        switch shown {
        case .gap: nodes.append(Node(kind: shown, depth: node.depth + 1))
        case .box(let step), .frame(let step):
          let isFrame = isContainer(step) && node.depth < Limit.depth && nodes.count < Limit.boxes
          nodes.append(Node(kind: isFrame ? .frame(step) : .box(step), depth: node.depth + 1))
        case .flow: break
        }
      }
      next += 1
    }
  }

  /// Returns true if a step can be a frame; every branch can, so that an empty branch looks like the others.
  private func isContainer(_ step: Int) -> Bool {
    !tree.children[step].isEmpty || tree.steps[step].kind == .branch
  }

  /// Returns the steps of one block that are shown, with the gaps between them.
  private func picked(_ within: [Int], isSplit: Bool) -> [Kind] {
    let limit = nodes.count < Limit.boxes ? (isSplit ? Limit.beside : Limit.inARow) : 6
    guard within.count > limit else { return within.map { .box($0) } }
    var isShown = Array(repeating: false, count: within.count)
    for position in 0..<(limit / 3) { isShown[position] = true }
    for position in (within.count - limit / 4)..<within.count { isShown[position] = true }
    let remarkable = within.indices.filter {
      [.failed, .cancelled, .running].contains(tree.steps[within[$0]].state)
    }
    for position in remarkable.prefix(max(limit / 8, 1)) + remarkable.suffix(max(limit / 8, 1)) {
      for beside in max(position - 1, 0)...min(position + 1, within.count - 1) { isShown[beside] = true }
    }
    var (kinds, gap) = ([Kind](), [Int]())
    for (position, step) in within.enumerated() {
      if isShown[position] {
        if !gap.isEmpty { kinds.append(.gap(gap)) }
        gap = []
        kinds.append(.box(step))
      } else {
        gap.append(step)
      }
    }
    if !gap.isEmpty { kinds.append(.gap(gap)) }
    return kinds
  }

  func isSplit(_ kind: Kind) -> Bool {
    if case .frame(let step) = kind { tree.isSplit(step) } else { false }
  }

  /// Returns true if the run continued after a node; a skipped step doesn't stop the run.
  func isPassed(_ node: Int) -> Bool {
    func isPassed(_ step: Int) -> Bool { ![.neverRan, .waiting].contains(tree.steps[step].state) }
    switch nodes[node].kind {
    case .flow: return true
    case .box(let step), .frame(let step): return isPassed(step)
    case .gap(let steps): return steps.last.map(isPassed) ?? false
    }
  }

  /// Returns true if the run has reached a step of a node.
  func isReached(_ node: Int) -> Bool {
    switch nodes[node].kind {
    case .flow: true
    case .box(let step), .frame(let step): tree.steps[step].state.isReached
    case .gap(let steps): steps.contains { tree.steps[$0].state.isReached }
    }
  }
}
