/// The place of a step in its blueprint: unique there, and the same in every process that builds the same flow.
///
/// Its text consists of the numbers and names of the steps from the outermost in, such as `2. Cases > target=web > 1.
/// ResizeOp`. Two paths are equal if their texts are.
public struct FlowPath: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
  private enum Place: Sendable {
    case node(PathTable, Int)
    case text(String)
  }

  private let place: Place

  /// Creates the path of a blueprint by its place in the table.
  package init(_ table: PathTable, _ node: Int) { place = .node(table, node) }

  /// The step's place in its blueprint, or -1 if it isn't known.
  package var step: Int32 {
    if case .node(_, let node) = place { Int32(clamping: node) } else { -1 }
  }

  /// The same path in another table of the same blueprint.
  func shown(by other: PathTable?) -> FlowPath {
    guard case .node(_, let node) = place, let other else { return self }
    return FlowPath(other, node)
  }

  /// Creates a path from its text.
  ///
  /// - Parameter text: The text, as ``description`` gives it.
  public init(_ text: String) { place = .text(text) }

  /// Creates a path from its text.
  ///
  /// - Parameter value: The text, as ``description`` gives it.
  public init(stringLiteral value: String) { self.init(value) }

  /// The path as text, such as `2. Cases > target=web > 1. ResizeOp`; steps are counted from 1.
  public var description: String {
    switch place {
    case .node(let table, let node): table.text(of: node)
    case .text(let text): text
    }
  }

  /// Its table, and its number there; `nil` if only the text is known.
  package var tableNode: (table: PathTable, node: Int)? {
    if case .node(let table, let node) = place { (table, node) } else { nil }
  }

  /// Its number in the table; `nil` if only the text is known.
  package var node: Int? { if case .node(_, let node) = place { node } else { nil } }

  /// Compares texts.
  public static func == (left: Self, right: Self) -> Bool {
    if case .node(let table, let node) = left.place, case .node(let other, let otherNode) = right.place,
      table === other
    {
      return node == otherNode
    }
    return left.description == right.description
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }

  /// The path of something within a step, such as a branch that has no steps.
  func appending(_ name: String) -> FlowPath { FlowPath("\(self) > \(PathTable.escaped(name))") }
}
