import Foundation

/// The paths of all steps of a blueprint, in one flat tree that its events, errors and problems share.
package final class PathTable: Sendable {
  /// A step, or a branch of one.
  package struct Node: Sendable {
    /// The node that contains it; `nil` at the outermost level.
    var parent: Int?
    /// The step's place in its block, counted from 1; `nil` for a branch.
    var number: Int?
    var name: String
    /// Whether it runs at the end, and so comes after those beside it.
    var isAtEnd = false
    /// The name shown instead once the key of a branch's condition is sensitive.
    var secret: Secret?

    package init(parent: Int?, number: Int?, name: String) {
      (self.parent, self.number, self.name) = (parent, number, name)
    }

    mutating func place(in parent: Int?, number: Int) { (self.parent, self.number) = (parent, number) }
  }

  /// A key, and a branch's name without the value that the key must have.
  final class Secret: Sendable {
    let key: String
    let hiddenName: String

    init(key: String, hiddenName: String) { (self.key, self.hiddenName) = (key, hiddenName) }
  }

  private let nodes: [Node]
  /// The blocks of a blueprint within its steps, each with its branch, or the step that it belongs to.
  let blocks: [(block: Int, node: Int)]
  /// The keys whose values are part of names.
  private let keys: Set<String>
  /// The last table that was made from this one by hiding some of its keys.
  private let last: Locked<(keys: Set<String>, table: PathTable)?>?

  /// The first nodes are those of the blueprint's steps, in the blueprint's order.
  package init(_ nodes: [Node], blocks: [(block: Int, node: Int)] = []) {
    (self.nodes, self.blocks) = (nodes, blocks)
    keys = Set(nodes.lazy.compactMap { $0.secret?.key })
    last = keys.isEmpty ? nil : Locked(nil)
  }

  /// The same paths without the values of the keys whose names are hidden.
  func hiding(_ isHidden: (String) -> Bool) -> PathTable {
    if keys.isEmpty { return self }
    let hidden = keys.filter(isHidden)
    if hidden.isEmpty { return self }
    if let last = last?.withLock({ $0 }), last.keys == hidden { return last.table }
    let table = PathTable(
      nodes.map { node in
        guard let secret = node.secret, hidden.contains(secret.key) else { return node }
        var shown = node
        (shown.name, shown.secret) = (secret.hiddenName, nil)
        return shown
      })
    // The previous value is freed outside the lock.
    _ = last?.withLock { last in
      defer { last = (hidden, table) }
      return last
    }
    return table
  }

  /// The path of a step; `nil` if there is no such step.
  package func path(of step: Int) -> FlowPath? { nodes.indices.contains(step) ? FlowPath(self, step) : nil }

  // MARK: The tree

  var count: Int { nodes.count }

  package func name(of node: Int) -> String { nodes[node].name }

  /// The node that contains another one; `nil` at the outermost level.
  package func parent(of node: Int) -> Int? { nodes[node].parent }

  /// The step's place in its block, counted from 1; `nil` for a branch.
  package func number(of node: Int) -> Int? { nodes[node].number }

  /// Whether a node is a branch rather than a step.
  package func isBranch(_ node: Int) -> Bool { nodes[node].number == nil }

  /// Whether a node is another one, or is within it.
  func isNode(_ inner: Int, within outer: Int) -> Bool {
    var next: Int? = inner
    while let node = next, node != outer { next = nodes[node].parent }
    return next != nil
  }

  /// All nodes in order, each before those within it.
  package var outermostFirst: [Int] {
    // The nodes within one node are in order already but for those at its end, so linking them backwards is enough.
    var firstChildren = [Int](repeating: -1, count: nodes.count)
    var siblings = firstChildren
    var first = -1
    let atEnd = nodes.indices.filter { nodes[$0].isAtEnd }
    let backwards = atEnd.reversed() + nodes.indices.reversed().filter { atEnd.isEmpty || !nodes[$0].isAtEnd }
    for node in backwards {
      if let parent = nodes[node].parent {
        siblings[node] = firstChildren[parent]
        firstChildren[parent] = node
      } else {
        siblings[node] = first
        first = node
      }
    }
    var (found, waiting) = ([Int](), [first])
    while let node = waiting.popLast() {
      guard node >= 0 else { continue }
      found.append(node)
      waiting += [siblings[node], firstChildren[node]]
    }
    return found
  }

  /// The step that contains a step, skipping the branch between them; `nil` at the outermost level.
  package func step(around step: Int) -> Int? {
    guard let parent = nodes[step].parent else { return nil }
    return nodes[parent].number == nil ? nodes[parent].parent : parent
  }

  /// Not inlined, because each text with a path in it would have a copy of all this.
  @inline(never)
  package func text(of node: Int) -> String {
    // Most steps are in no other.
    guard nodes[node].parent != nil else { return ownText(of: node) }
    return line(to: node).map(ownText).joined(separator: " > ")
  }

  /// A node, with those that contain it before it.
  func line(to node: Int) -> [Int] { sequence(first: node, next: parent).reversed() }

  /// A node's part of its path.
  private func ownText(of node: Int) -> String {
    let name = Self.escaped(nodes[node].name)
    return nodes[node].number.map { "\($0). \(name)" } ?? name
  }

  /// The name without the separators of a path, so that no name can pass for a path.
  @inline(never)
  static func escaped(_ name: String) -> String {
    // Few names have the sign, and it is found faster than the separator.
    name.utf8.contains(UInt8(ascii: ">")) && name.contains(" > ")
      ? name.components(separatedBy: " > ").joined(separator: " \\> ") : name
  }
}
