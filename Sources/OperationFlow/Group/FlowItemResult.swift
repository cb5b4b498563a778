/// The result of one item of a group.
///
/// With `import OperationFlowDurable`, it is `Codable` if its output is.
public enum FlowItemResult<Output: Sendable>: Sendable {
  /// The item succeeded with this output.
  case succeeded(Output)
  /// The item succeeded without an output: it recovered, or its operation assigned none.
  case withoutOutput
  /// The last attempt of the item failed with this error.
  case failed(any Error)
  /// The item was cancelled, or its group stopped before it ended, perhaps while it waited for a limiter's permit.
  case cancelled
  /// The group stopped before it started the item.
  case neverStarted

  /// The output; `nil` if there is none.
  public var output: Output? { if case .succeeded(let output) = self { output } else { nil } }

  /// The error of an item that failed; `nil` for all others.
  public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

  /// True if the item succeeded, with or without an output.
  public var isSuccess: Bool {
    switch self {
    case .succeeded, .withoutOutput: true
    case .failed, .cancelled, .neverStarted: false
    }
  }

  /// The output or the error as a `Result`; for an item with neither, an error with the reason.
  public var result: Result<Output, any Error> { Result { try get() } }

  /// Returns the output, and throws if there is none.
  ///
  /// - Returns: The output.
  /// - Throws: The item's error, or a ``FlowError`` with the reason why there is no output.
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
      throw FlowError(.cancelled, problem, remedy: "See report.failure for why the group stopped.")
    }
  }
}

extension FlowItemResult: CustomRecordStringConvertible {
  /// A text such as `succeeded(3)`; for a ``FlowError`` only its code, because its text may contain a value.
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
  /// Returns the result with a typed output; an output of another type becomes a failure.
  func typed<Typed>(_ name: String, isSensitive: Bool) -> FlowItemResult<Typed> {
    do { return try checked(name, isSensitive: isSensitive) } catch { return .failed(error) }
  }

  /// Returns the result with a typed output, or throws if the output has another type.
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

/// The order in which a group delivers the results of its items.
public enum FlowResultOrder: Sendable, Hashable {
  /// Each result is delivered as soon as its item has ended.
  case completion
  /// The results are delivered in the order of the items: an early result waits for those of the items before it.
  case input
}

/// An item of a group that failed, stored beside the outputs of the items that succeeded.
public struct FlowItemFailure: Sendable {
  /// The name of the item in a summary, such as `[UploadOp #3]`.
  public internal(set) var name: String
  /// The item's index in the input, counted from 0.
  public let index: Int
  /// The input of the item.
  public let input: any Sendable
  /// The item's last error.
  public internal(set) var error: any Error
  /// The path of the group in its flow.
  public internal(set) var path: FlowPath?
  /// The number of the last failed attempt, counted from 1.
  public internal(set) var attempt = 1
  /// The name under which the items were found; `nil` if they have none.
  var inputName: String?
  package var isInputSensitive = false
  /// Texts that are made only once; `nil` for a failure that no record lists, whose texts are made whenever it is
  /// shown.
  package var texts: Texts?
  var secrets: SecretTexts?

  /// The number of a run's failures that store their texts.
  static let describedCount = 1_000

  /// The texts of a failure.
  ///
  /// The error's text is made when the item fails, and the input's when it is first shown.
  package final class Texts: Sendable {
    package let error: String?
    let input: PendingText

    init(error: String?, input: any Sendable) {
      self.error = error
      self.input = PendingText(input)
    }
  }
}

extension FlowItemFailure {
  /// Creates the failure of an item in another process; `input` is `nil` if it could not be stored.
  package init(
    _ name: String, _ path: FlowPath?, _ index: Int, attempt: Int, _ error: any Error, input: (any Sendable)?
  ) {
    self.init(
      name: name, index: index, input: input ?? "", error: error, path: path, attempt: attempt,
      isInputSensitive: input == nil)
  }
}

extension FlowItemFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The item's name, its error and its input, in one line; a sensitive input is shown as `<redacted>`.
  public var description: String { LineText.escaped("\(name) failed with \(errorText), input: \(inputText)") }

  /// The failure's ``description``.
  public var debugDescription: String { description }

  /// The failure's properties, with the texts of its input and its error.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "index": index, "input": inputText, "error": errorText, "path": path?.description as Any,
        "attempt": attempt,
      ], displayStyle: .struct)
  }

  var inputText: String {
    if isInputSensitive { return ValueText.redacted }
    let text = texts?.input.text ?? ValueText.describe(input)
    return secrets?.scrubbing(text) ?? text
  }

  var errorText: String {
    let text = texts?.error ?? ValueText.describe(error: error)
    return secrets?.scrubbing(text) ?? text
  }

  /// Returns a copy without sensitive values.
  func hiding(_ hidden: HiddenNames, _ paths: PathTable?, _ secrets: SecretTexts) -> FlowItemFailure {
    var failure = self
    let step = path?.step ?? -1
    failure.name = secrets.scrubbing(name)
    failure.error = hidden.hide(error, of: step, paths, secrets)
    if let inputName, hidden.contains(ValueText.name(inputName), in: step) { failure.isInputSensitive = true }
    failure.path = path?.shown(by: paths).scrubbing(secrets)
    failure.secrets = secrets.isEmpty ? nil : secrets
    return failure
  }
}
