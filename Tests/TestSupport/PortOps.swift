import OperationFlow

/// Writes a number, and declares it.
package final class WriteOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var output: Int?
  private let value: Int

  package init(_ name: String, _ value: Int = 1) {
    self.value = value
    _output = FlowOutput(FlowKey(name))
  }

  package override func mainLogic() {
    output = value
    finishSuccessfully()
  }
}

/// Reads a number and writes it under another name, and declares both.
package final class CopyOp: FlowOperation, @unchecked Sendable {
  @FlowInput var input: Int
  @FlowOutput var output: Int?

  package init(_ source: String, to target: String = "copied") {
    _input = FlowInput(FlowKey(source))
    _output = FlowOutput(FlowKey(target))
  }

  package override func mainLogic() {
    output = input
    finishSuccessfully()
  }
}

/// Writes a text, and declares it.
package final class WriteTextOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var output: String?
  private let text: String

  package init(_ name: String, _ text: String = "text") {
    self.text = text
    _output = FlowOutput(FlowKey(name))
  }

  package override func mainLogic() {
    output = text
    finishSuccessfully()
  }
}

/// Writes a number, and declares nothing.
package final class SecretWriteOp: FlowOperation, @unchecked Sendable {
  private let target: String

  package init(_ name: String) { target = name }

  package override func mainLogic() {
    setData(name: target, value: 1)
    finishSuccessfully()
  }
}

/// Reads a number and writes its square, as an item of a group, and declares both.
package final class SquareOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  package static func create() -> FlowOperation { SquareOp() }
  @FlowInput var number: Int
  @FlowOutput var square: Int?

  package override func mainLogic() {
    square = number * number
    finishSuccessfully()
  }
}
