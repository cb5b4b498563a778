import OperationFlow

/// The smallest operation that does something: it logs a line and is done.
final class PrintOp: FlowOperation, @unchecked Sendable {
  private let message: String

  init(message: String) {
    self.message = message
  }

  override func mainLogic() {
    log(message: message)
    finishSuccessfully()
  }
}

extension Example {
  /// Steps that run one after the other.
  static let chainedOldStyle = Example(name: "chained, old style") { output, finish in
    Flow()
      .add(operation: PrintOp(message: "hello world"))
      .add(operation: PrintOp(message: "good bye"))
      .setDidFinishBlock { flow in
        output.show(flow)
        finish {
          try expect(flow.isSuccess, "the flow succeeds")
          try expect(flow.generateSummary().contains(/(?s)hello world.*good bye/), "the steps run in order")
        }
      }
      .start()
  }

  /// The same, awaited.
  static let chainedNewStyle = Example(name: "chained, new style") { output in
    let outcome = await Flow("Chained")
      // Without a label, the operation is made for each run, when the run reaches the step.
      .add(PrintOp(message: "hello world"))
      // A step doesn't need a class.
      .add("leave") { context in context.log("good bye") }
      .run()

    output.show(outcome)
    try expect(outcome.isSuccess, "the flow succeeds")
    try expect(outcome.report.loggedLines == ["hello world", "good bye"], "the steps run in order")
  }
}

extension FlowReport {
  /// The lines that were logged, in order: an example of reading a run's events.
  var loggedLines: [String] {
    events.compactMap { event in
      if case .logged(let line, _) = event.kind { line } else { nil }
    }
  }
}
