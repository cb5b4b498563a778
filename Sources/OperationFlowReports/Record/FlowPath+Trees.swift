import OperationFlow

// Paths of trees of which only the parts were saved.
extension FlowPath {
  /// The paths of all nodes of a tree, which share its parts: as texts, they would grow with the square of its depth.
  static func all(in tree: [PathTable.Node]) -> [FlowPath] {
    let table = PathTable(tree)
    return tree.indices.map { FlowPath(table, $0) }
  }

  /// Returns true if this is another path and then a step or branch, without making its text.
  func isPath(of name: String, number: Int?, within outer: FlowPath) -> Bool {
    guard let node, table.name(of: node) == name, table.number(of: node) == number,
      let parent = table.parent(of: node)
    else { return false }
    guard let outerNode = outer.node else { return outer.description == table.text(of: parent) }
    return outer.table === table && outerNode == parent
  }
}
