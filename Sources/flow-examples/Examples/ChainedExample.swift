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
  static let chained = Example(name: "chained") {
    let outcome = await Flow("Chained")
      // One object, as in Flow-iOS: it runs once, and so does a flow that holds it.
      .add(operation: PrintOp(message: "hello world"))
      // Without the label it is made when the step is reached, anew for each run.
      .add(PrintOp(message: "good bye"))
      .run()

    print(outcome.report.summary)
    try expect(outcome.isSuccess, "the flow succeeds")
    try expect(outcome.report.loggedLines == ["hello world", "good bye"], "the steps run in order")
  }
}

extension FlowReport {
  /// The lines that were logged, in order: an example of what can be read from a run's events.
  var loggedLines: [String] {
    events.compactMap { event in
      if case .logged(let line, _) = event.kind { line } else { nil }
    }
  }
}
