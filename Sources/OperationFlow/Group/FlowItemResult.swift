/// The result of one item of a group.
///
/// With `import OperationFlowDurable`, it is `Codable` if its output is.
public enum FlowItemResult<Output: Sendable>: Sendable {
  /// The item has succeeded, with this output.
  case succeeded(Output)
  /// The item has succeeded without an output: it has recovered, or its operation has assigned none.
  case withoutOutput
  /// The last attempt of the item has failed with this error.
  case failed(any Error)
  /// The item was cancelled, or its group stopped before it had ended, perhaps while it waited for a limiter's permit.
  case cancelled
  /// The group stopped before the item's turn came.
  case neverStarted

  /// The output; `nil` if there is none.
  public var output: Output? { if case .succeeded(let output) = self { output } else { nil } }

  /// The error of an item that failed; `nil` for all others.
  public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

  /// True if the item has succeeded, with or without an output.
  public var isSuccess: Bool {
    switch self {
    case .succeeded, .withoutOutput: true
    case .failed, .cancelled, .neverStarted: false
    }
  }

  /// The output or the error as a `Result`; an item with neither has an error with the reason.
  public var result: Result<Output, any Error> { Result { try get() } }

  /// Returns the output, and throws if there is none.
  ///
  /// - Returns: The output.
  /// - Throws: The item's error, or a ``FlowError`` that says why there is no output.
  public func get() throws -> Output {
    switch self {
    case .succeeded(let output): return output
    case .withoutOutput:
      throw FlowError(
        .missingData, "the item has succeeded without an output",
        remedy: "Assign the operation's output, or read `output`, which is nil then.")
    case .failed(let error): throw error
    case .cancelled, .neverStarted:
      let problem = if case .cancelled = self { "the item was cancelled" } else { "the item was never started" }
      throw FlowError(.cancelled, problem, remedy: "See in the report's failure why its group stopped.")
    }
  }
}

extension FlowItemResult: CustomRecordStringConvertible {
  /// A text such as `succeeded(3)`; for an error of the library only the code, because its text may contain a value.
  public var recordDescription: String {
    switch self {
    case .succeeded(let output): "succeeded(\(ValueText.describe(output)))"
    case .withoutOutput: "withoutOutput"
    case .failed(let error as FlowError): "failed(\(error.code))"
    case .failed(let error): "failed(\(ValueText.describe(error: error)))"
    case .cancelled: "cancelled"
    case .neverStarted: "neverStarted"
    }
  }
}

extension FlowItemResult<any Sendable> {
  /// The result with its output as a type; an output of another type is an error.
  func typed<Typed>(_ name: String, isSensitive: Bool) -> FlowItemResult<Typed> {
    do { return try checked(name, isSensitive: isSensitive) } catch { return .failed(error) }
  }

  /// The same for one who is handed it; throws if the output has another type.
  func checked<Typed>(_ name: String = "output", isSensitive: Bool = true) throws(FlowError) -> FlowItemResult<Typed> {
    switch self {
    case .succeeded(let output): .succeeded(try OperationFlow.checked(output, name: name, isSensitive: isSensitive))
    case .withoutOutput: .withoutOutput
    case .failed(let error): .failed(error)
    case .cancelled: .cancelled
    case .neverStarted: .neverStarted
    }
  }
}
