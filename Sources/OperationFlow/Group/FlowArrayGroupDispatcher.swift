/// Runs a group's operation for each element of an array, and collects the outputs in an array.
public struct FlowArrayGroupDispatcher: FlowGroupDispatcher {
  /// The name of the array in the flow's data bucket.
  public let inputKey: String
  /// The name under which the outputs are written, in input order, without items that have no output.
  public let outputKey: String
  /// The number of items that run at once; the flow is refused if this is below 1.
  public let maxConcurrentOperationCount: Int
  /// The number of items that may fail without failing the group.
  public let tolerance: FlowTolerance
  /// True if the group tolerates any failure.
  public var allowFailure: Bool { tolerance != .none }
  let inputIsSensitive: Bool
  let outputIsSensitive: Bool

  /// Creates a dispatcher.
  ///
  /// - Parameters:
  ///   - inputKey: The name of the array in the flow's data bucket.
  ///   - outputKey: The name under which the outputs are written.
  ///   - maxConcurrentOperationCount: The number of items that run at once; the flow is refused if this is below 1.
  ///   - allowFailure: `true` if the group continues, and succeeds, when items fail.
  public init(inputKey: String, outputKey: String, maxConcurrentOperationCount: Int = 3, allowFailure: Bool = false) {
    self.init(
      inputKey: inputKey, outputKey: outputKey, maxConcurrentOperationCount: maxConcurrentOperationCount,
      tolerance: allowFailure ? .all : .none)
  }

  /// Creates a dispatcher with a tolerance.
  ///
  /// - Parameters:
  ///   - inputKey: The name of the array in the flow's data bucket.
  ///   - outputKey: The name under which the outputs are written.
  ///   - maxConcurrentOperationCount: The number of items that run at once; the flow is refused if this is below 1.
  ///   - tolerance: The number of items that may fail without failing the group.
  public init(inputKey: String, outputKey: String, maxConcurrentOperationCount: Int = 3, tolerance: FlowTolerance) {
    self.init(
      inputKey: FlowKey<[any Sendable]>(inputKey), outputKey: FlowKey<[any Sendable]>(outputKey),
      maxConcurrentOperationCount: maxConcurrentOperationCount, tolerance: tolerance)
  }

  /// Creates a dispatcher with typed keys.
  ///
  /// - Parameters:
  ///   - inputKey: The key of the array in the flow's data bucket.
  ///   - outputKey: The key under which the outputs are written.
  ///   - maxConcurrentOperationCount: The number of items that run at once; the flow is refused if this is below 1.
  ///   - allowFailure: `true` if the group continues, and succeeds, when items fail.
  public init<Input, Output>(
    inputKey: FlowKey<[Input]>, outputKey: FlowKey<[Output]>, maxConcurrentOperationCount: Int = 3,
    allowFailure: Bool = false
  ) {
    self.init(
      inputKey: inputKey, outputKey: outputKey, maxConcurrentOperationCount: maxConcurrentOperationCount,
      tolerance: allowFailure ? .all : .none)
  }

  /// Creates a dispatcher with typed keys and a tolerance.
  ///
  /// - Parameters:
  ///   - inputKey: The key of the array in the flow's data bucket.
  ///   - outputKey: The key under which the outputs are written.
  ///   - maxConcurrentOperationCount: The number of items that run at once; the flow is refused if this is below 1.
  ///   - tolerance: The number of items that may fail without failing the group.
  public init<Input, Output>(
    inputKey: FlowKey<[Input]>, outputKey: FlowKey<[Output]>, maxConcurrentOperationCount: Int = 3,
    tolerance: FlowTolerance
  ) {
    self.inputKey = inputKey.name
    self.outputKey = outputKey.name
    self.maxConcurrentOperationCount = maxConcurrentOperationCount
    self.tolerance = tolerance
    self.inputIsSensitive = inputKey.isSensitive
    self.outputIsSensitive = outputKey.isSensitive
  }

  /// Returns the elements of the array under ``inputKey``.
  ///
  /// - Parameter bucket: The flow's data bucket.
  /// - Returns: The elements.
  /// - Throws: A ``FlowError`` if the name is missing or its value isn't an array.
  public func items(in bucket: DataBucket) throws -> FlowGroupItems {
    let value = bucket.value(named: inputKey)
    let isSensitive = bucket.isSensitive(inputKey)
    // Accepts an array of any type; anything else is reported in the same words as by any other read.
    if let array = value as? any ArrayElements ?? (value as? any UndecodedValue)?.elements {
      return FlowGroupItems(array, name: inputKey, isSensitive: isSensitive)
    }
    bucket.reportMisread(value, named: inputKey, as: [any Sendable].self)
    let array: [any Sendable] = try checked(value, name: inputKey, isSensitive: isSensitive)
    return FlowGroupItems(array, name: inputKey, isSensitive: isSensitive)
  }

  /// Returns the outputs as an array under ``outputKey``, without items that failed or have no output.
  ///
  /// - Parameter results: The outputs in input order.
  /// - Returns: The one value to write.
  public func collect(_ results: FlowGroupResults) -> [String: any Sendable] {
    [outputKey: results.outputs.compactMap(\.self)]
  }
}
