/// Runs a group's operation for each element of an array, and collects the outputs in an array.
public struct FlowArrayGroupDispatcher: FlowGroupDispatcher {
  /// The name of the array in the flow's data bucket.
  public let inputKey: String
  /// The name under which the outputs are written: those of the items that left one, in input order.
  public let outputKey: String
  /// How many items run at once; below 1 the flow is refused.
  public let maxConcurrentOperationCount: Int
  /// Whether the group goes on, and succeeds, when items fail.
  public let allowFailure: Bool
  let inputIsSensitive: Bool
  let outputIsSensitive: Bool

  /// Makes a dispatcher.
  ///
  /// - Parameters:
  ///   - inputKey: The name of the array in the flow's data bucket.
  ///   - outputKey: The name under which the outputs are written.
  ///   - maxConcurrentOperationCount: How many items run at once; below 1 the flow is refused.
  ///   - allowFailure: Whether the group goes on, and succeeds, when items fail.
  public init(inputKey: String, outputKey: String, maxConcurrentOperationCount: Int = 3, allowFailure: Bool = false) {
    self.inputKey = inputKey
    self.outputKey = outputKey
    self.maxConcurrentOperationCount = maxConcurrentOperationCount
    self.allowFailure = allowFailure
    self.inputIsSensitive = false
    self.outputIsSensitive = false
  }

  /// Makes a dispatcher with typed keys.
  ///
  /// - Parameters:
  ///   - inputKey: The key of the array in the flow's data bucket.
  ///   - outputKey: The key under which the outputs are written.
  ///   - maxConcurrentOperationCount: How many items run at once; below 1 the flow is refused.
  ///   - allowFailure: Whether the group goes on, and succeeds, when items fail.
  public init<Input, Output>(
    inputKey: FlowKey<[Input]>, outputKey: FlowKey<[Output]>, maxConcurrentOperationCount: Int = 3,
    allowFailure: Bool = false
  ) {
    self.inputKey = inputKey.name
    self.outputKey = outputKey.name
    self.maxConcurrentOperationCount = maxConcurrentOperationCount
    self.allowFailure = allowFailure
    self.inputIsSensitive = inputKey.isSensitive
    self.outputIsSensitive = outputKey.isSensitive
  }

  /// The elements of the array under ``inputKey``.
  ///
  /// - Parameter bucket: The flow's data bucket.
  /// - Returns: The elements.
  /// - Throws: ``FlowError`` if the name is missing or holds no array.
  public func items(in bucket: DataBucket) throws -> FlowGroupItems {
    let isSensitive = bucket.isSensitive(inputKey)
    guard let array = bucket.value(named: inputKey).flatMap(StoredArray.init) else {
      // Asks for an array in the words of every other read: it is missing, or of another type.
      let items: [any Sendable] = try checked(bucket.value(named: inputKey), name: inputKey, isSensitive: isSensitive)
      return FlowGroupItems(items, name: inputKey, sensitive: isSensitive)
    }
    return FlowGroupItems(array, name: inputKey, isSensitive: isSensitive)
  }

  /// The outputs as an array, under ``outputKey``, without those of the items that failed or left none.
  ///
  /// - Parameter results: The outputs in input order.
  /// - Returns: The one value to write.
  public func collect(_ results: FlowGroupResults) -> [String: any Sendable] {
    [outputKey: results.outputs.compactMap(\.self)]
  }
}
