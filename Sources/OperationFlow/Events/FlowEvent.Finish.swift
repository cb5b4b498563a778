extension FlowEvent.Finish {
  /// The text of the error of a failure; `nil` for other ends.
  package var errorText: String? {
    switch self {
    case .withError(let text), .withInsufficientInputData(let text), .withMismatchInputDataType(let text): text
    case .successfully, .cancelled: nil
    }
  }

  /// The end in the words of a summary.
  package var summaryText: String {
    switch self {
    case .successfully: "successfully"
    case .withError(let message): "withError: \(message)"
    case .withInsufficientInputData(let message): "withInsufficientInputData: \(message)"
    case .withMismatchInputDataType(let message): "withMismatchInputDataType: \(message)"
    case .cancelled: "cancelled"
    }
  }
}
