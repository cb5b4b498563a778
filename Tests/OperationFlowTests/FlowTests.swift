import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct FlowTests {
  @Test func `steps run one after the other and the summary ends with the outcome`() async {
    let outcome = await Flow().add(SuccessOp()).add(LaterOp()).run()
    #expect(outcome.isSuccess)
    #expect(
      outcome.report.lines == [
        "[DataBucket] start with:", "[SuccessOp] WillStart", "[SuccessOp] DidFinish: successfully",
        "[LaterOp] WillStart", "[LaterOp] DidFinish: successfully", "[DataBucket] end with:",
      ])
    #expect(outcome.report.summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }
}
