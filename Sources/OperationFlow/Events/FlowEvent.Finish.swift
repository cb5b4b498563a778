extension FlowEvent.Finish {
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
