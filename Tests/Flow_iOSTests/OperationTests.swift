import Flow_iOS
import TestSupport
import Testing

@Suite(.watched) struct OperationTests {
  @Test func `an operation's state goes from idle over executing to how it finished`() async {
    let notes = Notes()
    let op = CustomOp { op in
      notes.add(describe(op.state))
      op.finishSuccessfully()
    }
    #expect(describe(op.state) == "idle")
    _ = await finished(Flow().add(operation: op))
    #expect(notes.all == ["executing"])
    #expect(describe(op.state) == "finished successfully")
    #expect(op.isFinished)
    #expect(!op.isExecuting)
  }

  @Test func `an operation's state keeps how it failed`() async {
    let rejected = RejectOp()
    let flow = await finished(Flow().add(operation: rejected))
    #expect(describe(rejected.state) == "finished withError rejected")
    #expect((flow.error as NSError?)?.localizedDescription == "rejected")
    let missing = LoginOp()
    _ = await finished(Flow().add(operation: missing))
    #expect(describe(missing.state) == "finished withInsufficientInputData can't find <email> in data bucket")
    let mistyped = LoginOp()
    _ = await finished(Flow().setDataBucket(dataBucket: ["email": 1]).add(operation: mistyped))
    #expect(describe(mistyped.state).hasPrefix("finished withMismatchInputDataType <email> in data bucket is <1>"))
  }

  @Test func `a finish type can be made by hand`() {
    let types: [FlowOperationStateFinishType] = [
      .successfully, .withError(NSError(domain: "d", code: 1, userInfo: nil)), .withInsufficientInputData("m"),
      .withMismatchInputDataType("m"),
    ]
    #expect(
      types.map { describe(.finished($0)) } == [
        "finished successfully", "finished withError d", "finished withInsufficientInputData m",
        "finished withMismatchInputDataType m",
      ])
  }

  @Test func `a write replaces what stands there and the summary shows both`() async {
    let flow = await finished(
      Flow().setDataBucket(dataBucket: ["k": 5]).add(
        operation: CustomOp { op in
          op.setData(name: "k", value: 6)
          op.finishSuccessfully()
        }))
    #expect(flow.dataBucket["k"] as? Int == 6)
    #expect(flow.lines.contains("[DataBucket] replace for k: 5 -> 6"))
  }
}
