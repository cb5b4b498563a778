extension Blueprint {
  /// Creates the paths of all steps; the value of a branch's key is hidden if `sensitiveNames` has its name.
  func makePaths(hiding sensitiveNames: Set<String>) -> PathTable {
    // By index, because a step that is copied counts references.
    var nodes = steps.indices.map { PathTable.Node(parent: nil, number: nil, name: steps[$0].name) }
    var owners = [Int?](repeating: nil, count: blocks.count)
    for id in steps.indices where blocks.count > 1 {
      switch steps[id].kind {
      case .operation, .closure, .group: break
      case .flow(let block, _, _): owners[block] = id
      case .cases(let cases):
        Self.add(
          cases.branches.map { branch in
            let text = branch.condition.text(hiding: sensitiveNames)
            // A key may turn out to be sensitive during the run.
            let hidden = branch.condition.key.map { branch.condition.text(hiding: [$0]) }
            return (text, hidden == text ? nil : hidden, branch.condition.key, branch.block)
          }, of: id, to: &nodes, &owners)
      case .parallel(let branches):
        Self.add(branches.map { ($0.name, nil, nil, $0.block) }, of: id, to: &nodes, &owners)
      }
    }
    var always: [(step: StepID, owner: Int?, number: Int)] = []
    for (block, owner) in zip(blocks, owners) {
      for (index, step) in block.steps.enumerated() {
        (nodes[step].parent, nodes[step].number) = (owner, index + 1 + block.omittedBeforeCount)
      }
      // What runs at the end is numbered after the other steps.
      let count = block.omittedBeforeCount + block.steps.count + block.omittedAfterCount
      for (index, wrapper) in block.always.enumerated() {
        for step in blocks[wrapper].steps { always.append((step, owner, count + index + 1)) }
      }
    }
    for (step, owner, number) in always {
      (nodes[step].parent, nodes[step].number, nodes[step].isAtEnd) = (owner, number, true)
    }
    return PathTable(nodes)
  }

  /// Numbers distinguish branches with the same text.
  @inline(never)
  private static func add(
    _ branches: [(text: String, hidden: String?, key: String?, block: BlockID)], of step: StepID,
    to nodes: inout [PathTable.Node],
    _ owners: inout [Int?]
  ) {
    var counts: [String: Int] = [:]
    func unique(_ text: String) -> String {
      let count = counts[text, default: 0] + 1
      counts[text] = count
      return count == 1 ? text : "\(text) (\(count))"
    }
    for (text, hidden, key, block) in branches {
      owners[block] = nodes.count
      var node = PathTable.Node(parent: step, number: nil, name: unique(text))
      if let hidden, let key { node.secret = PathTable.Secret(key: key, hiddenName: unique(hidden)) }
      nodes.append(node)
    }
  }
}
