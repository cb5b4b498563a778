/// The paths of all steps of a blueprint, in one flat tree that its events, errors and problems share.
final class PathTable: Sendable {
  /// A step, or a branch of one.
  struct Node: Sendable {
    /// The node it stands in; `nil` at the outermost level.
    var parent: Int?
    /// The step's place in its block, counted from 1; `nil` for a branch.
    var number: Int?
    var name: String
  }

  private let nodes: [Node]

  /// The first nodes are those of the blueprint's steps, in its order.
  init(_ nodes: [Node]) { self.nodes = nodes }

  /// The path of a step; `nil` if there is no such step.
  func path(of step: Int) -> FlowPath? { nodes.indices.contains(step) ? FlowPath(self, step) : nil }

  /// The step that a step lies in, beyond the branch between them; `nil` at the outermost level.
  func step(around step: Int) -> Int? {
    guard let parent = nodes[step].parent else { return nil }
    return nodes[parent].number == nil ? nodes[parent].parent : parent
  }

  func text(of node: Int) -> String {
    var names: [String] = []
    var next: Int? = node
    while let index = next {
      let node = nodes[index]
      let name = Self.escaped(node.name)
      names.append(node.number.map { "\($0). \(name)" } ?? name)
      next = node.parent
    }
    return names.reversed().joined(separator: " > ")
  }

  /// The name without what separates the parts of a path, so that no name can pass for a path.
  static func escaped(_ name: String) -> String {
    name.contains(" > ")
      ? name.split(separator: " > ", omittingEmptySubsequences: false).joined(separator: " \\> ") : name
  }
}
