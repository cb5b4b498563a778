import Foundation

/// The path of a step in its blueprint: unique there, and equal in every process that builds the same flow.
///
/// Its text consists of the numbers and names of the steps from the outermost in, such as `2. Cases > target=web > 1.
/// ResizeOp`. Two paths are equal if their texts are.
public struct FlowPath: Sendable, Hashable, CustomStringConvertible, CustomReflectable, ExpressibleByStringLiteral {
  package let table: PathTable
  /// The number of the node in the table, or -1 if the table contains only the text.
  private let number: Int

  package init(_ table: PathTable, _ node: Int) {
    self.table = table
    number = node
  }

  /// The number of the step in its blueprint, or -1 if it isn't known.
  package var step: Int32 { Int32(clamping: number) }

  /// Returns the path of the same step in another table of the same blueprint.
  func shown(by other: PathTable?) -> FlowPath {
    guard let node, let other else { return self }
    return FlowPath(other, node)
  }

  /// Creates a path from its text.
  ///
  /// - Parameter text: The text, in the form of ``description``.
  public init(_ text: String) { self.init(PathTable([PathTable.Node(parent: nil, number: nil, name: text)]), -1) }

  /// Creates a path from its text.
  ///
  /// - Parameter value: The text, in the form of ``description``.
  public init(stringLiteral value: String) { self.init(value) }

  /// The path as text, such as `2. Cases > target=web > 1. ResizeOp`; steps are counted from 1.
  public var description: String { node.map(table.text) ?? table.name(of: 0) }

  /// A mirror of only the text, because the table contains all names of the flow, also hidden ones.
  public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }

  /// The number of the node in the table; `nil` if only the text is known.
  package var node: Int? { number < 0 ? nil : number }

  /// Compares texts.
  public static func == (left: Self, right: Self) -> Bool {
    left.table === right.table ? left.number == right.number : left.description == right.description
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }

  /// Returns the path of an element within the step, such as a branch that has no steps.
  func appending(_ name: String) -> FlowPath { FlowPath("\(self) > \(PathTable.escaped(name))") }
}

/// The paths of all steps of a blueprint, in one flat tree that its events, errors and problems share.
package final class PathTable: Sendable {
  package struct Node: Sendable {
    /// The node that contains it; `nil` at the outermost level.
    var parent: Int?
    /// The step's place in its block, counted from 1; `nil` for a branch.
    var number: Int?
    var name: String
    /// True if the step runs at the end, after its siblings.
    var isAtEnd = false
    /// The secret of a branch whose name contains the value of a key; otherwise `nil`.
    var secret: Secret?

    package init(parent: Int?, number: Int?, name: String) {
      self.parent = parent
      self.number = number
      self.name = name
    }
  }

  /// The key of a branch, and the branch's name with the key's value hidden.
  final class Secret: Sendable {
    let key: String
    let hiddenName: String

    init(key: String, hiddenName: String) {
      self.key = key
      self.hiddenName = hiddenName
    }
  }

  private let nodes: [Node]
  /// The blocks of a blueprint that are within its steps, each with the node of its branch or its step.
  let blocks: [(block: Int, node: Int)]
  /// The keys whose values are part of names.
  private let keys: Set<String>
  /// The hidden keys among `keys`.
  private let hidden: Set<String>
  /// The function that changes a name or a path before it is shown; `nil` if nothing is changed.
  private let change: (@Sendable (String) -> String)?

  /// Creates a table whose first nodes are the blueprint's steps, in the blueprint's order.
  package init(_ nodes: [Node], blocks: [(block: Int, node: Int)] = []) {
    self.nodes = nodes
    self.blocks = blocks
    keys = Set(nodes.lazy.compactMap { $0.secret?.key })
    hidden = []
    change = nil
  }

  private init(_ table: PathTable, hiding hidden: Set<String>, _ change: (@Sendable (String) -> String)?) {
    nodes = table.nodes
    blocks = table.blocks
    keys = table.keys
    self.hidden = hidden
    self.change = change
  }

  /// Returns a copy that applies `change` to each name and text that is read, in place of an earlier change.
  func changingTexts(_ change: @escaping @Sendable (String) -> String) -> PathTable {
    PathTable(self, hiding: hidden, change)
  }

  /// Returns a copy without the values of the keys for which `isHidden` returns true.
  func hiding(_ isHidden: (String) -> Bool) -> PathTable {
    if keys.isEmpty { return self }
    let found = hidden.union(keys.filter(isHidden))
    return found == hidden ? self : PathTable(self, hiding: found, change)
  }

  /// Returns a copy without the values of the keys whose names a rule redacts.
  func hiding(_ redaction: FlowRedaction) -> PathTable { hiding { redaction.redacts(ValueText.name($0)) } }
  func hides(_ key: String) -> Bool { hidden.contains(key) }
  package func path(of step: Int) -> FlowPath? { nodes.indices.contains(step) ? FlowPath(self, step) : nil }

  // MARK: The tree

  var count: Int { nodes.count }

  package func name(of node: Int) -> String { change?(plainName(of: node)) ?? plainName(of: node) }

  private func plainName(of node: Int) -> String {
    if !hidden.isEmpty, let secret = nodes[node].secret, hidden.contains(secret.key) { return secret.hiddenName }
    return nodes[node].name
  }

  package func parent(of node: Int) -> Int? { nodes[node].parent }
  package func number(of node: Int) -> Int? { nodes[node].number }
  package func isBranch(_ node: Int) -> Bool { nodes[node].number == nil }

  /// Returns true if the nodes are equal, or `inner` is within `outer`.
  func isNode(_ inner: Int, within outer: Int) -> Bool { sequence(first: inner, next: parent).contains(outer) }

  /// All nodes in order, each before those within it.
  package var outermostFirst: [Int] {
    // The inner nodes of each node, after those of the outermost level. Only the steps at the end aren't in order
    // already.
    var inner = [[Int]](repeating: [], count: nodes.count + 1)
    for isAtEnd in [false, true] {
      for (node, place) in nodes.enumerated() where place.isAtEnd == isAtEnd {
        inner[place.parent.map { $0 + 1 } ?? 0].append(node)
      }
    }
    var found = [Int]()
    var waiting = Array(inner[0].reversed())
    while let node = waiting.popLast() {
      found.append(node)
      waiting += inner[node + 1].reversed()
    }
    return found
  }

  /// Returns the step that contains a step, skipping the branch between them; `nil` at the outermost level.
  package func step(around step: Int) -> Int? {
    guard let parent = nodes[step].parent else { return nil }
    return nodes[parent].number == nil ? nodes[parent].parent : parent
  }

  package func text(of node: Int) -> String { change?(plainText(of: node)) ?? plainText(of: node) }

  private func plainText(of node: Int) -> String {
    // Most steps are on the outermost level.
    guard nodes[node].parent != nil else { return ownText(of: node) }
    return line(to: node).map(ownText).joined(separator: " > ")
  }

  /// Returns a node, with the nodes that contain it before it.
  func line(to node: Int) -> [Int] { sequence(first: node, next: parent).reversed() }

  private func ownText(of node: Int) -> String {
    let name = Self.escaped(plainName(of: node))
    return nodes[node].number.map { String($0) + ". " + name } ?? name
  }

  /// Returns a name without the separator of paths, so that no name looks like a path.
  static func escaped(_ name: String) -> String {
    // Few names contain a `>`, and it is found faster than the separator.
    name.utf8.contains(UInt8(ascii: ">")) && name.contains(" > ")
      ? name.components(separatedBy: " > ").joined(separator: " \\> ") : name
  }
}
