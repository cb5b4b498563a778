/// The items that a group runs its operation for, in order.
public struct FlowGroupItems: Sendable {
  /// The number of items.
  public let count: Int
  /// The name under which the items were found, for texts.
  public let name: String
  /// True if the items are shown as `<redacted>` in every text.
  public let isSensitive: Bool
  // It never changes, and is part of a value that was sendable when it was stored.
  private nonisolated(unsafe) let array: any ArrayElements

  /// Creates the items from an array, without copying it.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - name: The name under which they were found, for texts.
  ///   - sensitive: Whether they are shown as `<redacted>` in every text.
  public init<Item: Sendable>(_ items: [Item], name: String, sensitive: Bool = false) {
    self.init(items, name: name, isSensitive: sensitive)
  }

  init(_ array: any ArrayElements, name: String, isSensitive: Bool) {
    self.array = array
    self.count = array.elementCount
    self.name = name
    self.isSensitive = isSensitive
  }

  /// The item at an index below ``count``.
  subscript(index: Int) -> any Sendable { array.element(at: index) }
}
