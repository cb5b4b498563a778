import OperationFlow

extension PageDiagram {
  /// The sizes of the diagram's parts, in pixels.
  enum Size {
    static let box = 260
    static let boxHeight = 48
    static let line = 16
    static let gap = 26
    static let beside = 16
    static let padding = 14
    static let header = 34
    static let fork = 20
    static let end = 28
    /// The distance from a group's outline to the right end of its second outline.
    static let shadow = 7
  }

  /// Finds the size of each node, from the innermost nodes to the flow.
  mutating func measure() {
    for index in nodes.indices.reversed() {
      let node = nodes[index]
      switch node.kind {
      case .box(let step): (nodes[index].width, nodes[index].height) = (Size.box, boxHeight(step))
      case .gap: (nodes[index].width, nodes[index].height) = (Size.box, 30)
      case .flow:
        let inner = column(node.children)
        let ends = 2 * (Size.end + Size.gap) + Size.padding
        // A group's second outline needs room at the side.
        (nodes[index].width, nodes[index].height) = (max(inner.width, Size.box) + 2 * Size.shadow, inner.height + ends)
      case .frame(let step):
        let isSplit = isSplit(node.kind)
        let inner = isSplit ? row(node.children) : column(node.children)
        let forks = isSplit ? 2 * Size.fork : 0
        let least = tree.steps[step].kind == .branch ? 150 : Size.box
        nodes[index].width = max(inner.width, least) + 2 * Size.padding
        nodes[index].height = Size.header + inner.height + forks + Size.padding
      }
    }
  }

  /// Finds the place of each node from the place of the node that contains it.
  mutating func place() {
    for index in nodes.indices {
      let node = nodes[index]
      guard !node.children.isEmpty else { continue }
      let center = node.x + node.width / 2
      if isSplit(node.kind) {
        var x = center - row(node.children).width / 2
        for child in node.children {
          nodes[child].x = x
          nodes[child].y = node.y + Size.header + Size.fork
          x += nodes[child].width + Size.beside
        }
      } else {
        var y = node.y + Size.header
        if case .flow = node.kind { y = Size.end + Size.gap + Size.padding / 2 }
        for child in node.children {
          nodes[child].x = center - nodes[child].width / 2
          nodes[child].y = y
          y += nodes[child].height + Size.gap
        }
      }
    }
  }

  private func column(_ children: [Int]) -> (width: Int, height: Int) {
    children.reduce((0, children.isEmpty ? 0 : -Size.gap)) {
      (max($0.0, nodes[$1].width), $0.1 + nodes[$1].height + Size.gap)
    }
  }

  private func row(_ children: [Int]) -> (width: Int, height: Int) {
    children.reduce((children.isEmpty ? 0 : -Size.beside, 0)) {
      ($0.0 + nodes[$1].width + Size.beside, max($0.1, nodes[$1].height))
    }
  }

  private func boxHeight(_ index: Int) -> Int {
    let step = tree.steps[index]
    var height = Size.boxHeight
    if let items = step.items {
      height += Size.line + 12
      if !items.rest(hasEnded: true).isEmpty { height += Size.line }
    }
    if hasMarks(step) { height += Size.line }
    return height
  }

  /// Returns true if the box of a step has a line for its options and attempts.
  func hasMarks(_ step: FlowRecord.Step) -> Bool { !step.options.isEmpty || step.attempts > 1 }
}
