/// The items that a group runs its operation for, in order.
public struct FlowGroupItems: Sendable {
  /// The number of items.
  public let count: Int
  /// The name under which the items were found, for texts.
  public let name: String
  /// True if the items are shown as `<redacted>` in every text.
  public let isSensitive: Bool
  private let element: @Sendable (Int) -> any Sendable

  /// The item at an index below ``count``.
  subscript(index: Int) -> any Sendable { element(index) }
}

extension FlowGroupItems {
  /// Creates the items from an array, without copying it.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - name: The name under which they were found, for texts.
  ///   - sensitive: Whether they are shown as `<redacted>` in every text.
  public init<Item: Sendable>(_ items: [Item], name: String, sensitive: Bool = false) {
    self.init(count: items.count, name: name, isSensitive: sensitive) { items[$0] }
  }

  init(_ array: any ArrayElements, name: String, isSensitive: Bool) {
    // It never changes, and is part of a value that was sendable when it was stored.
    nonisolated(unsafe) let array = array
    self.init(count: array.elementCount, name: name, isSensitive: isSensitive) { array.element(at: $0) }
  }
}
