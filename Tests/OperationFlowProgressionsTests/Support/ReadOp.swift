import OperationFlow

/// Reads a number, and declares it.
final class ReadOp: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Int

  init(_ source: String) { _input = FlowInput(FlowKey(source)) }

  override func mainLogic() { finishSuccessfully() }
}
