import OperationFlow

/// The diagram of a flow: boxes with their places, which `PageDiagramDrawing` draws.
///
/// A flow of any size has a diagram of bounded size: of many steps in a row, it shows the first, the last, and those that
/// did not succeed; and what is nested too deeply is one box with a count.
struct PageDiagram {
  enum Kind {
    /// The flow itself.
    case flow
    /// A step that contains no others, or whose steps aren't shown.
    case box(Int)
    /// A step or branch around those within it.
    case frame(Int)
    /// Steps that are left out, one after the other.
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

  let steps: PageSteps
  /// The nodes, each before those within it; the first is the flow.
  var nodes: [Node] = [Node(kind: .flow, depth: 0)]

  init(_ steps: PageSteps) {
    self.steps = steps
    choose()
    measure()
    place()
  }

  // MARK: What is shown

  private mutating func choose() {
    var next = 0
    while next < nodes.count {
      let node = nodes[next]
      let within: [Int]
      switch node.kind {
      case .flow: within = steps.roots
      case .frame(let step): within = steps.children[step]
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

  /// A branch is always a frame, so that a branch without steps looks like the others.
  private func isContainer(_ step: Int) -> Bool {
    !steps.children[step].isEmpty || steps.steps[step].kind == .branch
  }

  /// The steps that are shown of those in one place, with the gaps between them.
  private func picked(_ within: [Int], isSplit: Bool) -> [Kind] {
    let limit = nodes.count < Limit.boxes ? (isSplit ? Limit.beside : Limit.inARow) : 6
    guard within.count > limit else { return within.map { .box($0) } }
    var isShown = Array(repeating: false, count: within.count)
    for position in 0..<(limit / 3) { isShown[position] = true }
    for position in (within.count - limit / 4)..<within.count { isShown[position] = true }
    let remarkable = within.indices.filter {
      [.failed, .cancelled, .running].contains(steps.steps[within[$0]].state)
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
    if case .frame(let step) = kind { steps.isSplit(step) } else { false }
  }

  /// Whether the run went on after what a node shows; it also does so after a step that is skipped.
  func isPassed(_ node: Int) -> Bool {
    func isPassed(_ step: Int) -> Bool { ![.neverRan, .waiting].contains(steps.steps[step].state) }
    switch nodes[node].kind {
    case .flow: return true
    case .box(let step), .frame(let step): return isPassed(step)
    case .gap(let steps): return steps.last.map(isPassed) ?? false
    }
  }

  /// Whether the run has reached what a node shows.
  func isReached(_ node: Int) -> Bool {
    switch nodes[node].kind {
    case .flow: true
    case .box(let step), .frame(let step): steps.steps[step].state.isReached
    case .gap(let steps): steps.contains { self.steps.steps[$0].state.isReached }
    }
  }
}
