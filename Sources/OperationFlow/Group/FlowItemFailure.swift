/// One item of a group that failed, kept beside the outputs of those that succeeded.
public struct FlowItemFailure: Sendable {
  /// The name under which a summary shows the item, such as `[UploadOp #3]`.
  public let name: String
  /// The item's index in the input, counted from 0.
  public let index: Int
  /// The item itself.
  public let input: any Sendable
  /// What it failed with.
  public internal(set) var error: any Error
  /// Where the group stands in its flow.
  public internal(set) var path: FlowPath?
  /// The number of the attempt that failed last, counted from 1.
  public internal(set) var attempt = 1
  /// The name that the items were found under; `nil` if they were found under none.
  var inputName: String?
  /// Whether texts show the item as `<redacted>`.
  var isInputSensitive = false
}

extension FlowItemFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The item's name, its error and its input, in one line; an input that is sensitive is shown as `<redacted>`.
  public var description: String {
    LineText.escaped("\(name) failed with \(errorText), input: \(inputText)")
  }

  /// The same as ``description``.
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

  private var inputText: String { isInputSensitive ? ValueText.redacted : ValueText.describe(input) }
  private var errorText: String { ValueText.describe(error: error) }

  /// The failure without what is sensitive, where a name has turned out to be so.
  func hiding(_ hidden: HiddenNames, _ paths: PathTable?) -> FlowItemFailure {
    var failure = self
    let step = path?.step ?? -1
    let isHidden = { hidden.contains($0, in: step) }
    if let error = error as? FlowError { failure.error = error.hiding(isHidden, paths) }
    failure.isInputSensitive = isInputSensitive || inputName.map { isHidden(ValueText.name($0)) } ?? false
    failure.path = path?.shown(by: paths)
    return failure
  }
}
