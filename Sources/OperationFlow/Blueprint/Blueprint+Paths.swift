extension Blueprint {
  /// Creates the paths of all steps; the value of a branch's key is hidden if `sensitiveNames` has its name.
  func makePaths(hiding sensitiveNames: Set<String>) -> PathTable {
    // By index, because a step that is copied counts references.
    var nodes = steps.indices.map { PathTable.Node(parent: nil, number: nil, name: steps[$0].name) }
    var owners = [Int?](repeating: nil, count: blocks.count)
    for id in steps.indices where blocks.count > 1 {
      // Numbers distinguish branches with the same text.
      var counts = [String: Int]()
      func add(_ block: BlockID, _ text: String, _ condition: FlowCase? = nil) {
        owners[block] = nodes.count
        var node = PathTable.Node(parent: id, number: nil, name: Self.unique(text, &counts))
        // A key may turn out to be sensitive during the run.
        if let condition, let key = condition.key, case let hidden = condition.text(hiding: [key]), hidden != text {
          node.secret = PathTable.Secret(key: key, hiddenName: Self.unique(hidden, &counts))
        }
        nodes.append(node)
      }
      switch steps[id].kind {
      case .operation, .closure, .group: break
      case .flow(let block, _, _): owners[block] = id
      case .cases(let cases):
        for branch in cases.branches {
          add(branch.block, branch.condition.text(hiding: sensitiveNames), branch.condition)
        }
      case .parallel(let branches): for branch in branches { add(branch.block, branch.name) }
      }
    }
    for (block, owner) in zip(blocks, owners) {
      for (number, step) in zip((block.omittedBeforeCount + 1)..., block.steps) {
        nodes[step].parent = owner
        nodes[step].number = number
      }
    }
    // What runs at the end is numbered after the other steps, and not in the block that it has for itself.
    for (block, owner) in zip(blocks, owners) where has(.always) {
      let count = block.omittedBeforeCount + block.steps.count + block.omittedAfterCount
      for (number, wrapper) in zip((count + 1)..., block.always) {
        for step in blocks[wrapper].steps {
          nodes[step].parent = owner
          nodes[step].number = number
          nodes[step].isAtEnd = true
        }
      }
    }
    return PathTable(nodes, blocks: owners.enumerated().compactMap { block, owner in owner.map { (block, $0) } })
  }

  private static func unique(_ text: String, _ counts: inout [String: Int]) -> String {
    let count = counts[text, default: 0] + 1
    counts[text] = count
    return count == 1 ? text : "\(text) (\(count))"
  }
}
