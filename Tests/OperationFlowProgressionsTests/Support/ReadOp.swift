import OperationFlow

/// Declares that it reads a number.
final class ReadOp: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Int

  init(_ source: String) { _input = FlowInput(FlowKey(source)) }

  override func mainLogic() { finishSuccessfully() }
}
