/// The items that a group runs its operation for, in order.
public struct FlowGroupItems: Sendable {
  /// The number of items.
  public let count: Int
  /// The name under which the items were found, for texts.
  public let name: String
  /// True if the items are shown as `<redacted>` in every text.
  public let isSensitive: Bool
  private let element: @Sendable (Int) -> any Sendable

  /// Creates the items from an array, without copying it.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - name: The name under which they were found, for texts.
  ///   - sensitive: Whether they are shown as `<redacted>` in every text.
  public init<Item: Sendable>(_ items: [Item], name: String, sensitive: Bool = false) {
    self.count = items.count
    self.name = name
    self.isSensitive = sensitive
    self.element = { items[$0] }
  }

  init(_ array: any ArrayElements, name: String, isSensitive: Bool) {
    // It never changes, and is part of a value that was sendable when it was stored.
    nonisolated(unsafe) let array = array
    self.count = array.elementCount
    self.name = name
    self.isSensitive = isSensitive
    self.element = { array.element(at: $0) }
  }

  /// The item at an index below ``count``.
  subscript(index: Int) -> any Sendable { element(index) }
}
