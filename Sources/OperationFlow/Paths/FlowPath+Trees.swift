// Paths of trees of which only the parts were saved.

extension FlowPath {
  /// A node of such a tree: a step, or a branch of one.
  package struct Node: Sendable {
    /// The position of the node that contains it, which comes before it; `nil` at the outermost level.
    let parent: Int?
    /// The step's place in its block, counted from 1; `nil` for a branch.
    let number: Int?
    let name: String

    package init(parent: Int?, number: Int?, name: String) {
      (self.parent, self.number, self.name) = (parent, number, name)
    }
  }

  /// The paths of all nodes of a tree, which share its parts: as texts, they would grow with the square of its depth.
  package static func all(in tree: [Node]) -> [FlowPath] {
    let table = PathTable(tree.map { PathTable.Node(parent: $0.parent, number: $0.number, name: $0.name) })
    return tree.indices.map { FlowPath(table, $0) }
  }

  /// Returns true if this is another path and then a step or branch, without making its text.
  package func isPath(of name: String, number: Int?, within outer: FlowPath) -> Bool {
    guard let (table, node) = tableNode, table.name(of: node) == name, table.number(of: node) == number,
      let parent = table.parent(of: node)
    else { return false }
    guard let (outerTable, outerNode) = outer.tableNode else { return outer.description == table.text(of: parent) }
    return outerTable === table && outerNode == parent
  }
}
