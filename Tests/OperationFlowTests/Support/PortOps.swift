@testable import OperationFlow

/// Declares that it writes a number.
final class WriteOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var output: Int?
  private let value: Int

  init(_ name: String, _ value: Int = 1) {
    self.value = value
    _output = FlowOutput(FlowKey(name))
  }

  override func mainLogic() {
    output = value
    finishSuccessfully()
  }
}

/// Declares that it reads a number and writes it elsewhere.
final class CopyOp: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Int
  @FlowOutput var output: Int?

  init(_ source: String, to target: String = "copied") {
    _input = FlowInput(FlowKey(source))
    _output = FlowOutput(FlowKey(target))
  }

  override func mainLogic() {
    output = input
    finishSuccessfully()
  }
}

/// Declares that it writes a text.
final class WriteTextOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var output: String?
  private let text: String

  init(_ name: String, _ text: String = "text") {
    self.text = text
    _output = FlowOutput(FlowKey(name))
  }

  override func mainLogic() {
    output = text
    finishSuccessfully()
  }
}

/// Declares nothing, and writes a number.
final class SecretWriteOp: FlowOperation, @unchecked Sendable {
  private let target: String

  init(_ name: String) { target = name }

  override func mainLogic() {
    setData(name: target, value: 1)
    finishSuccessfully()
  }
}
