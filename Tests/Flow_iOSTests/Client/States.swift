import Flow_iOS

/// Both switches are exhaustive with the cases that Flow-iOS has, and no `default`.
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
