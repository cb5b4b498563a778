import OperationFlow
import TestSupport
import Testing

/// Removes a value without a declaration, so that no check before the run can see it.
private func removeAll(_ context: FlowContext) {
  context["value" as FlowKey<Int>] = nil
}

private final class DeclaredOp: FlowOperation, @unchecked Sendable {
  @FlowInput var value: Int
  override func mainLogic() {
    setData(name: "ran", value: true)
    finishSuccessfully()
  }
}

private final class AskingOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let _: Int = getData(name: "value") else { return }
    finishSuccessfully()
  }
}

private final class DeclaredRunOp: FlowOperation, @unchecked Sendable {
  @FlowInput(FlowKey<Int>("value", sensitive: true)) var value
  override func run() async { setData(name: "ran", value: true) }
}

@Suite(.watched) struct MissingInputTests {
  /// Returns the lines without the operation's name, and the error's code, key and texts.
  private func trace(_ outcome: FlowOutcome, _ name: String) -> [String?] {
    let error = outcome.error as? FlowError
    return outcome.report.lines.map { $0.replacing(name, with: "Op") }
      + [error?.code.description, error?.key, error?.problem, error?.remedy]
  }

  @Test(arguments: [
    (nil, FlowError.Code.missingData, "withInsufficientInputData: can't find <value> in data bucket"),
    (
      "text", .mismatchedData,
      "withMismatchInputDataType: <value> in data bucket is <text> with type <String>, but NOT type <Int>."
    ),
  ]) func `an input that is missing, or of another type, fails exactly as getData does`(
    value: String?, code: FlowError.Code, end: String
  ) async {
    let write = { @Sendable (context: FlowContext) in
      if let value { context["value"] = value } else { removeAll(context) }
    }
    let declared = await Flow().add("write", run: write).add(DeclaredOp()).run()
    let asked = await Flow().add("write", run: write).add(AskingOp()).run()
    #expect(trace(declared, "DeclaredOp") == trace(asked, "AskingOp"))
    #expect(declared.code == code && (declared.error as? FlowError)?.step == "[DeclaredOp]")
    #expect(declared.report.lines.contains("[DeclaredOp] DidFinish: \(end)") && declared.report.data["ran"] == nil)
  }

  @Test func `an input that is missing fails an operation that overrides run, which does not run`() async {
    let outcome = await Flow().add("hide", run: removeAll).add(DeclaredRunOp()).run()
    #expect(outcome.code == .missingData)
    #expect(outcome.report.data["ran"] == nil)
  }

  @Test func `a sensitive input of another type is not shown`() async {
    let outcome = await Flow().add("write") { $0["value"] = "opensesame" }.markSensitive("value")
      .add(DeclaredRunOp()).run()
    #expect(outcome.code == .mismatchedData)
    #expect(!"\(outcome)".replacing("\(outcome.report.data)", with: "").contains("opensesame"))
    #expect(!outcome.report.summary.contains("opensesame"))
  }

  @Test func `an input that is missing fails an operation that runs alone`() {
    let operation = DeclaredOp()
    operation.start()
    guard case .finished(.withInsufficientInputData(let text)) = operation.state else {
      return fail("is \(operation.state)")
    }
    #expect(text == "can't find <value> in data bucket")
    let ran: Bool? = operation.getData(name: "ran", isOptional: true)
    #expect(ran == nil)
  }

  @Test func `an item whose input is missing fails, and is tolerated as any failure`() async {
    final class ItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { ItemOp() }
      @FlowInput var item: Int
      @FlowInput var rest: Int
      @FlowOutput var sum: Int?
      override func mainLogic() {
        sum = item + rest
        finishSuccessfully()
      }
    }
    let outcome = await Flow()
      .forEach(in: [1, 2], into: "sums" as FlowKey<[Int]>, tolerating: .all, run: ItemOp.self).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report["sums" as FlowKey<[Int]>] == [])
    #expect(outcome.report.itemFailures.compactMap { ($0.error as? FlowError)?.code } == [.missingData, .missingData])
    let complete = await Flow().setDataBucket(dataBucket: ["rest": 10])
      .forEach(in: [1, 2], into: "sums" as FlowKey<[Int]>, run: ItemOp.self).run()
    #expect(complete.report["sums" as FlowKey<[Int]>] == [11, 12])
  }
}
