import Flow_iOS
import TestSupport
import Testing

/// Intended differences from Flow-iOS in this module's own functions.
///
/// The tests of the core check the rest of the list in `Docs/ComingFromFlow-iOS.md`.
@Suite(.watched) struct WhatDiffersTests {
  @Test func `a failure that is allowed is kept beside the outputs and is no error of the flow`() async {
    let flow = await finished {
      grouped(["a"], allowFailure: true, didFinish: $0).setDataBucket(dataBucket: ["images": [1, 2]])
    }
    #expect(flow.isSuccess && flow.error == nil)
    let outcome = await grouped(["a"], allowFailure: true) { _ in }
      .setDataBucket(dataBucket: ["images": ["a", 2] as [any Sendable]]).run()
    #expect(outcome.report.itemFailures.map(\.index) == [1])
  }

  @Test func `an operation alone keeps its own values`() {
    let op = CustomOp { op in
      op.setData(name: "k", value: 1)
      guard let number: Int = op.getData(name: "k") else { return }
      op.finishWithError(error: NSError(domain: "read \(number)", code: 1, userInfo: nil))
    }
    op.start()
    #expect(describe(op.state) == "finished withError read 1")
  }

  @Test func `a step that is added in the will-start block is not run`() async {
    let flow = await finished(
      Flow().add(operation: PrintOp(message: "x")).setWillStartBlock { flow in flow.add(operation: LoginOp()) })
    #expect(flow.isSuccess && !flow.lines.contains("[LoginOp] WillStart"))
  }

  @Test func `writing an optional that holds nothing removes the name`() {
    let nickname: String? = nil
    let flow = Flow().setDataBucket(dataBucket: ["nickname": "Al"])
    flow.setData(name: "nickname", value: nickname as Any)
    #expect(flow.dataBucket["nickname"] == nil)
  }

  @Test func `a line of the flow itself carries its name, listings are sorted, and long values are cut`() async {
    let flow = Flow("Login").add(operation: PrintOp(message: "x"))
      .setDataBucket(dataBucket: ["text": String(repeating: "x", count: 5_000), "data": Data(count: 5_000), "a": 2])
    flow.log(message: "ready")
    let text = "text: " + String(repeating: "x", count: 1_000) + "… (4000 more bytes)"
    let start = ["[Login] ready", "[DataBucket] start with:", "a: 2", "data: <5000 bytes>", text]
    #expect(await Array(finished(flow).lines[1...5]) == start)
  }

  @Test func `times have a plain space and can be shown otherwise`() async throws {
    let flow = await finished(Flow().add(operation: PrintOp(message: "x")))
    let line = try #require(flow.generateSummary().split(separator: "\n").dropFirst().first)
    #expect(line.contains(/^\d{1,2}:\d\d:\d\d [AP]M \[DataBucket\] start with:/))
    let other = flow.generateSummary(style: FlowSummaryStyle(timeStyle: .milliseconds))
    #expect(other.contains(/\n\d\d:\d\d:\d\d\.\d{3} \[DataBucket\] start with:/))
  }
}
