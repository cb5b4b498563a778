import Flow_iOS

/// Describes a state.
///
/// Both switches are exhaustive with the cases that Flow-iOS has, without a `default`.
func describe(_ state: FlowOperationState) -> String {
  switch state {
  case .idle:
    return "idle"
  case .executing:
    return "executing"
  case .finished(let type):
    return "finished " + describe(type)
  }
}

func describe(_ type: FlowOperationStateFinishType) -> String {
  switch type {
  case .successfully:
    return "successfully"
  case .withError(let error):
    return "withError \((error as NSError).domain)"
  case .withInsufficientInputData(let message):
    return "withInsufficientInputData " + message
  case .withMismatchInputDataType(let message):
    return "withMismatchInputDataType " + message
  }
}
