import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
}

/// Assigns its outputs, and then calls a closure.
private class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowOutput(.token) var token
  @FlowOutput var count: Int?
  @FlowOutput var unused: Int?
  private let end: @Sendable (LoginOp) -> Void

  init(_ end: @escaping @Sendable (LoginOp) -> Void) { self.end = end }

  override func mainLogic() {
    count = 1
    count = (count ?? 0) + 1
    token = "opensesame"
    end(self)
  }
}

private final class LoudLoginOp: LoginOp, @unchecked Sendable {
  @FlowOutput var loud: Bool?
  override func mainLogic() {
    loud = true
    super.mainLogic()
  }
}

@Suite(.watched) struct FlowOutputTests {
  @Test func `outputs are written when the operation succeeds, by key and by property name`() async {
    let outcome = await Flow().add(LoudLoginOp { $0.finishSuccessfully() }).run()
    #expect(outcome.report[.token] == "opensesame")
    #expect(outcome.report["count"] == 2)
    #expect(outcome.report["loud"] == true)
    #expect(outcome.report.data.keys.sorted() == ["count", "loud", "token"])
    #expect(
      outcome.report.lines.dropFirst().dropLast() == [
        "[LoudLoginOp] WillStart", "[DataBucket] add for token: <redacted>", "[DataBucket] add for count: 2",
        "[LoudLoginOp] warning: <unused> is declared as an output, and was not written: "
          + "write it before the step succeeds, or do not declare it.", "[DataBucket] add for loud: true",
        "[LoudLoginOp] DidFinish: successfully",
      ])
  }

  @Test func `outputs are not written when the operation fails or is cancelled`() async {
    for error in [TestError(), CancellationError()] as [any Error] {
      let report = await Flow().add(LoginOp { $0.finishWithError(error: error) }).run().report
      #expect(report.data.isEmpty && !report.summary.contains("add for"))
    }
    let isWaiting = Signal()
    let run = Flow().add(
      LoginOp {
        $0.startWithAsynchronous()
        isWaiting.fire()
      }
    ).start()
    let outcome = await run.outcome(cancelledAfter: isWaiting)
    #expect(outcome.isCancelled && outcome.report.data.isEmpty)
  }

  @Test func `outputs of run are written when it returns, and not when it throws`() async {
    final class RunOp: FlowOperation, @unchecked Sendable {
      @FlowInput var fails: Bool
      @FlowOutput var result: Int?
      override func run() async throws {
        result = 5
        await Task.yield()
        if fails { throw TestError() }
      }
    }
    let flow = Flow().add(RunOp())
    #expect(await flow.run(with: ["fails": false]).report["result"] == 5)
    #expect(await flow.run(with: ["fails": true]).report.data["result"] == nil)
  }

  @Test func `outputs are there before the next step starts`() async {
    let outcome = await Flow().add(
      LoginOp { operation in
        operation.startWithAsynchronous()
        Task { operation.finishSuccessfully() }
      }
    ).add(CopyOp("count", to: "copy")).run()
    #expect(outcome.report["copy"] == 2)
  }

  @Test func `an output takes the place of what stood there, and leaves it if it is nil again`() async {
    let flow = Flow().set("count", to: 7)
      .add(
        LoginOp {
          $0.count = nil
          $0.finishSuccessfully()
        }
      )
      .add("read") { #expect($0["count"] == 7) }
      .add(LoginOp { $0.finishSuccessfully() })
    #expect(await flow.run().report.lines.contains("[DataBucket] replace for count: 7 -> 2"))
  }

  @Test func `outputs of an operation that runs alone are its own values`() {
    let operation = LoginOp { $0.finishSuccessfully() }
    operation.start()
    #expect(operation.getData(name: "count") == 2)
    #expect(operation.getData(name: .token) == "opensesame")
  }

  @Test func `an operation that is an input and an output of the same name changes it`() async {
    let outcome = await Flow().setDataBucket(dataBucket: ["count": 7]).add(CopyOp("count", to: "count")).run()
    #expect(outcome.report.lines.contains("[DataBucket] replace for count: 7 -> 7"))
  }
}
