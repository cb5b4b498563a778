/// The paths of all steps of a blueprint, in one flat tree that its events, errors and problems share.
final class PathTable: Sendable {
  /// A step, or a branch of one.
  struct Node: Sendable {
    /// The node it stands in; `nil` at the outermost level.
    var parent: Int?
    /// The step's place in its block, counted from 1; `nil` for a branch.
    var number: Int?
    var name: String
    /// What is shown instead of the name once the key that a branch looks at is sensitive.
    var secret: Secret?
  }

  /// A key, and the name of a branch without what the key has to hold.
  struct Secret: Sendable {
    let key: String
    let hiddenName: String
  }

  private let nodes: [Node]
  /// The keys whose values stand in names.
  private let keys: Set<String>
  /// The last table that was made of this one by hiding some of its keys.
  private let last = Locked<(keys: Set<String>, table: PathTable)?>(nil)

  /// The first nodes are those of the blueprint's steps, in its order.
  init(_ nodes: [Node]) {
    self.nodes = nodes
    keys = Set(nodes.compactMap { $0.secret?.key })
  }

  /// The same paths without what keys of these names have to hold.
  func hiding(_ names: Set<String>) -> PathTable {
    if names.isEmpty || keys.isEmpty { return self }
    let hidden = keys.filter(names.contains)
    if hidden.isEmpty { return self }
    if let last = last.withLock({ $0 }), last.keys == hidden { return last.table }
    let table = PathTable(
      nodes.map { node in
        guard let secret = node.secret, hidden.contains(secret.key) else { return node }
        return Node(parent: node.parent, number: node.number, name: secret.hiddenName)
      })
    // What was kept before is freed outside the lock.
    _ = last.withLock { last in
      defer { last = (hidden, table) }
      return last
    }
    return table
  }

  /// The path of a step; `nil` if there is no such step.
  func path(of step: Int) -> FlowPath? { nodes.indices.contains(step) ? FlowPath(self, step) : nil }

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
