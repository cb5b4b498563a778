/// Decides what a group runs and how its results are collected.
///
/// Write one for inputs that aren't arrays, or to collect outputs in another way. A dispatcher writes nothing itself,
/// so one value can serve several groups and flows at once. Its methods are called on threads that they may block.
public protocol FlowGroupDispatcher: Sendable {
  /// The number of items that run at once; the flow is refused if this is below 1.
  var maxConcurrentOperationCount: Int { get }

  /// True if the group continues, and succeeds, when items fail; false by default.
  var allowFailure: Bool { get }

  /// The number of items that may fail; by default, all if ``allowFailure`` is true, otherwise none.
  ///
  /// If you implement ``tolerance``, the group ignores ``allowFailure``.
  var tolerance: FlowTolerance { get }

  /// Returns the items, found in the flow's data bucket.
  ///
  /// - Parameter bucket: The flow's data bucket.
  /// - Returns: The items.
  /// - Throws: Any error; the group then fails with it.
  func items(in bucket: DataBucket) throws -> FlowGroupItems

  /// Returns the operation for one item; by default, a new one from the group's creator.
  ///
  /// The item is stored under its ``FlowOperation/primaryInputParamKey``, otherwise under its first declared input.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - index: The item's index, counted from 0.
  ///   - creator: The type that the group was created with.
  /// - Returns: An operation that has not been used before.
  /// - Throws: Any error; the item then fails with it.
  func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) throws -> FlowOperation

  /// Returns the values that the group writes into the flow's data bucket when all of its items have ended.
  ///
  /// It isn't called if more items have failed than the group tolerates, or if the run is cancelled.
  ///
  /// - Parameter results: The outputs in input order, and the failures.
  /// - Returns: The values to write, by name.
  /// - Throws: Any error; the group then fails with it.
  func collect(_ results: FlowGroupResults) throws -> [String: any Sendable]
}

extension FlowGroupDispatcher {
  /// False: the first failure stops the group, unless you implement ``tolerance``.
  public var allowFailure: Bool { false }

  /// All items if ``allowFailure`` is true, otherwise none.
  public var tolerance: FlowTolerance { allowFailure ? .all : .none }

  /// Creates a new operation with the group's creator.
  public func operation(
    for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
  ) throws -> FlowOperation {
    creator.create()
  }
}

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
  ///   - name: The name under which the items were found, for texts.
  ///   - sensitive: `true` to show the items as `<redacted>` in every text.
  public init<Item: Sendable>(_ items: [Item], name: String, sensitive: Bool = false) {
    self.init(count: items.count, name: name, isSensitive: sensitive) { items[$0] }
  }

  init(_ array: any ArrayElements, name: String, isSensitive: Bool) {
    // The array never changes, and is part of a value that was sendable when it was stored.
    nonisolated(unsafe) let array = array
    self.init(count: array.elementCount, name: name, isSensitive: isSensitive) { array.element(at: $0) }
  }
}

/// The results of a group's items, once all of them have ended.
public struct FlowGroupResults: Sendable {
  /// The output of each item, in input order; `nil` if it failed or has none.
  public let outputs: [(any Sendable)?]
  /// The items that failed, in the order in which they failed.
  public let failures: [FlowItemFailure]

  /// Creates results, for testing a dispatcher.
  ///
  /// - Parameters:
  ///   - outputs: The output of each item, in input order.
  ///   - failures: The items that failed.
  public init(outputs: [(any Sendable)?], failures: [FlowItemFailure] = []) {
    self.outputs = outputs
    self.failures = failures
  }
}
