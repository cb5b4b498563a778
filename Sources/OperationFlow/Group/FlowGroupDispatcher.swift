/// Decides what a group runs and how its results are collected.
///
/// Write one for inputs that are no array, or for outputs that are to be collected in another way. A dispatcher plans
/// and collects; it writes nothing itself, so that one value can serve several groups and flows at once. Its methods
/// are called in threads of the run's queue.
public protocol FlowGroupDispatcher: Sendable {
  /// How many items run at once; below 1 the flow is refused.
  var maxConcurrentOperationCount: Int { get }

  /// Whether the group goes on, and succeeds, when items fail.
  var allowFailure: Bool { get }

  /// The items, found in the flow's data bucket.
  ///
  /// - Parameter bucket: The flow's data bucket.
  /// - Returns: The items.
  /// - Throws: Anything; the group then fails with it.
  func items(in bucket: DataBucket) throws -> FlowGroupItems

  /// The operation for one item; by default, a new one that the group's creator makes.
  ///
  /// It is given the item under its ``FlowOperation/primaryInputParamKey``, or else under its first declared input.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - index: Its index, counted from 0.
  ///   - creator: What the group was made with.
  /// - Returns: An operation that has not been used before.
  /// - Throws: Anything; the item then fails with it.
  func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) throws -> FlowOperation

  /// What the group writes into the flow's data bucket when all of its items have ended.
  ///
  /// It is not called if more items have failed than the group tolerates, or if the run is cancelled.
  ///
  /// - Parameter results: The outputs in input order, and the failures.
  /// - Returns: The values to write, by name.
  /// - Throws: Anything; the group then fails with it.
  func collect(_ results: FlowGroupResults) throws -> [String: any Sendable]
}

extension FlowGroupDispatcher {
  /// Makes a new operation with the group's creator.
  public func operation(
    for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
  ) throws -> FlowOperation {
    creator.create()
  }
}
