import OperationFlow

// Paths of saved trees, in which each node has only the last part of its path.
extension FlowPath {
  /// Returns the paths of all nodes of a tree.
  ///
  /// The paths share one table: as texts, their size would grow with the square of the tree's depth.
  static func all(in tree: [PathTable.Node]) -> [FlowPath] {
    let table = PathTable(tree)
    return tree.indices.map { FlowPath(table, $0) }
  }

  /// Returns true if the path is `outer` followed by a step or branch with this name and number.
  ///
  /// It doesn't create texts of paths in the same table, because texts of deep paths are long.
  func isPath(of name: String, number: Int?, within outer: FlowPath) -> Bool {
    guard let node, table.name(of: node) == name, table.number(of: node) == number,
      let parent = table.parent(of: node)
    else { return false }
    guard let outerNode = outer.node else { return outer.description == table.text(of: parent) }
    return outer.table === table && outerNode == parent
  }
}
