/// The place of a step in its blueprint: unique there, and the same in every process that builds the same flow.
///
/// Its text consists of the numbers and names of the steps from the outermost in, such as `2. Cases > target=web > 1.
/// ResizeOp`. Two paths are equal if their texts are.
public struct FlowPath: Sendable, Hashable, CustomStringConvertible, CustomReflectable, ExpressibleByStringLiteral {
  package let table: PathTable
  /// Its number there, or -1 if the table has only its text.
  private let number: Int

  package init(_ table: PathTable, _ node: Int) {
    self.table = table
    number = node
  }

  /// The step's place in its blueprint, or -1 if it isn't known.
  package var step: Int32 { Int32(clamping: number) }

  /// The same path in another table of the same blueprint.
  func shown(by other: PathTable?) -> FlowPath {
    guard let node, let other else { return self }
    return FlowPath(other, node)
  }

  /// Creates a path from its text.
  ///
  /// - Parameter text: The text, as ``description`` gives it.
  public init(_ text: String) { self.init(PathTable([PathTable.Node(parent: nil, number: nil, name: text)]), -1) }

  /// Creates a path from its text.
  ///
  /// - Parameter value: The text, as ``description`` gives it.
  public init(stringLiteral value: String) { self.init(value) }

  /// The path as text, such as `2. Cases > target=web > 1. ResizeOp`; steps are counted from 1.
  public var description: String { node.map(table.text) ?? table.name(of: 0) }

  /// The text alone: the path refers to all steps of its flow, and to what their names hide.
  public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }

  /// Its number in the table; `nil` if only the text is known.
  package var node: Int? { number < 0 ? nil : number }

  /// Compares texts.
  public static func == (left: Self, right: Self) -> Bool {
    left.table === right.table ? left.number == right.number : left.description == right.description
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }

  /// The path of something within a step, such as a branch that has no steps.
  func appending(_ name: String) -> FlowPath { FlowPath("\(self) > \(PathTable.escaped(name))") }
}
