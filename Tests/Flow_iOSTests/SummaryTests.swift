import Flow_iOS
import TestSupport
import Testing

/// How summaries differ from the predecessor's, beside the lines of single events.
@Suite(.watched) struct SummaryTests {
  @Test func `the first line has a name that was given, and the last one says how the run ended`() async {
    let named = await finished(Flow("Upload").add(operation: PrintOp(message: "x")))
    #expect(named.generateSummary().hasPrefix("====== Flow Summary: Upload ======\n"))
    #expect(named.generateSummary().contains("\nFlow isSuccess: true\n"))
    let failed = await finished(Flow().add(operation: SummaryOp()))
    #expect(failed.generateSummary().hasPrefix("====== Flow Summary ======\n"))
    #expect(failed.lines.contains("[SummaryOp] DidFinish: withError: The disk is full."))
    #expect(failed.generateSummary().contains("\nFlow isSuccess: false, failed in [SummaryOp]: The disk is full.\n"))
    let other = FlowCase(key: "target", value: "A")
    let early = await finished(
      Flow().add(operation: PrintOp(message: "x"), flowCase: other).combine().add(operation: PrintOp(message: "y")))
    #expect(early.generateSummary().contains("\nFlow isSuccess: true, ended early at 1. Cases: "))
  }

  @Test func `a group tells of failures that it allows, and lists the first of many`() async {
    for count in [0, 1, 30] {
      let images = ["a", "b", "c"] + Array(repeating: "fails", count: count)
      let dispatcher = FlowArrayGroupDispatcher(
        inputKey: "images", outputKey: "urls", maxConcurrentOperationCount: 1, allowFailure: true)
      let flow = await finished(
        Flow().setDataBucket(dataBucket: ["images": images])
          .addGrouped(operationCreator: SummaryOp.self, dispatcher: dispatcher))
      let text = count == 0 ? "all finished. output size: 3" : "3 of \(count + 3) succeeded, \(count) failed"
      #expect(flow.lines.contains("[FlowArrayGroupDispatcher] " + text))
      #expect(flow.lines.count { $0.hasSuffix("The disk is full.") } == min(count, 20))
    }
  }
}

/// Fails without an image, and for one that is to fail.
class SummaryOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  struct NoRoom: LocalizedError {
    var errorDescription: String? { return "The disk is full." }
  }

  static func create() -> FlowOperation { return SummaryOp() }

  override var primaryInputParamKey: String { return "image" }
  override var primaryOutputParamKey: String { return "url" }

  override func mainLogic() {
    let image: String? = getData(name: "image", isOptional: true)
    guard let image, image != "fails" else { return finishWithError(error: NoRoom()) }
    setData(name: "url", value: "https://images/" + image)
    finishSuccessfully()
  }
}
