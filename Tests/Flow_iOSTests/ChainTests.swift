import Flow_iOS
import TestSupport
import Testing

@MainActor
@Suite(.watched) struct ChainTests {
  @Test func `a chain runs in order and common blocks are called around it`() async {
    let screen = Screen()
    let flow = await withCheckedContinuation { continuation in
      screen.chained { flow in continuation.resume(returning: flow) }
    }
    #expect(screen.title == "starting")
    #expect(flow.isSuccess)
    #expect(flow.error == nil)
    #expect(
      flow.lines == [
        "====== Flow Summary ======", "[DataBucket] start with:", "[PrintOp] WillStart", "[PrintOp] hello world",
        "[PrintOp] DidFinish: successfully", "[PrintOp] WillStart", "[PrintOp] good bye",
        "[PrintOp] DidFinish: successfully", "[DataBucket] end with:", "Flow isSuccess: true",
        "======    Ending    ======",
      ])
  }

  @Test func `the outer of two composed blocks runs after the inner one`() async {
    let screen = Screen()
    let flow = Flow().add(operation: PrintOp(message: "x"))
    await withCheckedContinuation { continuation in
      let common = screen.commonDidFinishBlock { _ in screen.title = "inner, summary \(screen.summary.count)" }
      flow.setDidFinishBlock { flow in
        common(flow)
        continuation.resume()
      }
      flow.start()
    }
    #expect(screen.title == "inner, summary 0")
    #expect(screen.summary == flow.generateSummary())
  }

  @Test func `every builder call can stand alone and its result be ignored`() async {
    let flow = await finished { builtCallByCall(didFinish: $0) }
    #expect(flow.isSuccess)
    #expect(flow.dataBucket["number"] as? Int == 2)
    #expect(flow.dataBucket["ratio"] as? Double == 0.5)
    #expect(flow.dataBucket["flags"] as? [Bool] == [true, false])
    #expect(flow.dataBucket["names"] as? [String: String] == ["k": "v"])
    #expect(flow.dataBucket["date"] as? Date == Date(timeIntervalSince1970: 0))
    #expect(flow.lines.contains { $0.hasSuffix("built") })
  }

  @Test func `a flow that is stored, optional or weak, starts`() async {
    var stored: Flow?
    await withCheckedContinuation { continuation in
      stored = Flow().add(operation: PrintOp(message: "x")).setDidFinishBlock { _ in continuation.resume() }
      weak let same = stored
      same?.start()
    }
    #expect(stored?.isSuccess == true)
  }
}
