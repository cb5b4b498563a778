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

  @Test func `the display name is the type's in brackets, or else the name that is set`() {
    #expect(PrintOp(message: "x").displayName == "[PrintOp]")
    #expect(CustomOp(name: "Load the list") { _ in }.displayName == "[Load the list]")
  }

  @Test func `each operation has an identifier of its own that stays the same`() {
    let ops = (0..<3).map { _ in UploadOp.create() }
    #expect(Set(ops.map(\.identifier)).count == 3)
    #expect(ops[0].identifier == ops[0].identifier)
    #expect(UUID(uuidString: ops[0].identifier) != nil)
  }

  @Test func `a failed read stays a failure though the operation goes on to finish successfully`() async {
    let flow = await finished(
      Flow().add(
        operation: CustomOp { op in
          let email: String? = op.getData(name: "email")
          op.log(message: email ?? "none")
          op.finishSuccessfully()
        }))
    #expect(!flow.isSuccess)
  }

  @Test func `an integer is no floating-point number`() async {
    let flow = await finished(
      Flow().setDataBucket(dataBucket: ["n": 1]).add(
        operation: CustomOp { op in
          guard let number: Double = op.getData(name: "n") else { return }
          op.log(message: "\(number)")
          op.finishSuccessfully()
        }))
    #expect(!flow.isSuccess)
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

  @Test func `an operation that finishes later without having said so works, and the summary warns`() async {
    let isWarned = DispatchSemaphore(value: 0)
    let flow = await finished(
      Flow()
        .add(
          operation: CustomOp { op in
            Thread.detachNewThread {
              isWarned.wait()
              op.finishSuccessfully()
            }
          }
        )
        .observe { event in
          if case .warned = event.kind { isWarned.signal() }
        })
    #expect(flow.isSuccess)
    #expect(flow.lines.contains { $0.hasPrefix("[CustomOp] warning: returned without finishing") })
  }
}
