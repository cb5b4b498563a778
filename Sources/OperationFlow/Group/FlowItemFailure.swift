/// An item of a group that failed, kept along with the outputs of the items that succeeded.
public struct FlowItemFailure: Sendable {
  /// The name of the item in a summary, such as `[UploadOp #3]`.
  public internal(set) var name: String
  /// The item's index in the input, counted from 0.
  public let index: Int
  /// The input of the item.
  public let input: any Sendable
  /// The error that it failed with.
  public internal(set) var error: any Error
  /// The path of the group in its flow.
  public internal(set) var path: FlowPath?
  /// The number of the last failed attempt, counted from 1.
  public internal(set) var attempt = 1
  /// The name under which the items were found; `nil` if there is none.
  var inputName: String?
  package var isInputSensitive = false
  /// Its texts, each made once; `nil` for failures that no record lists, which make them whenever they are shown.
  package var texts: Texts?
  var secrets: SecretTexts?

  /// How many failures of a run keep their texts.
  static let describedCount = 1_000

  /// The texts of a failure: that of the error was made when it came, that of the input is when it is first shown.
  package final class Texts: Sendable {
    package let error: String?
    let input: PendingText

    init(error: String?, input: any Sendable) {
      self.error = error
      self.input = PendingText(input)
    }
  }
}

extension FlowItemFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The item's name, its error and its input, in one line; a sensitive input is shown as `<redacted>`.
  public var description: String { LineText.escaped("\(name) failed with \(errorText), input: \(inputText)") }

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

  var inputText: String {
    if isInputSensitive { return ValueText.redacted }
    let text = texts?.input.text ?? ValueText.describe(input)
    return secrets?.scrubbing(text) ?? text
  }

  var errorText: String {
    let text = texts?.error ?? ValueText.describe(error: error)
    return secrets?.scrubbing(text) ?? text
  }

  /// The failure without sensitive values.
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
