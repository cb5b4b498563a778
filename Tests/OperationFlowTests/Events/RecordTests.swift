import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct RecordTests {
  @Test func `every line of a run with all kinds of steps stands in its place`() async {
    let outcome = await Flow("mine").setDataBucket(dataBucket: ["target": "A", "in": [1, 2]])
      .step("first") { operation in
        operation.log(message: "a line")
        operation.setData(name: "color", value: "abc")
        operation.setData(name: "color", value: "def")
        operation.setData(name: "color", value: String?.none)
        operation.finishSuccessfully()
      }
      .add(operation: BlockOp("branch") { $0.finishSuccessfully() }, flowCase: FlowCase(key: "target", value: "A"))
      .combine()
      .addGrouped(
        operationCreator: DoubleOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", maxConcurrentOperationCount: 1)
      )
      .step("last") { $0.finishWithError(error: TestError()) }
      .run()
    #expect(
      outcome.report.lines == [
        "[DataBucket] start with:\nin: [1, 2]\ntarget: A",
        "[first] WillStart", "[first] a line", "[DataBucket] add for color: abc",
        "[DataBucket] replace for color: abc -> def", "[DataBucket] remove for color: def",
        "[first] DidFinish: successfully",
        "[Cases] chosen: target=A",
        "[branch] WillStart", "[branch] DidFinish: successfully",
        "[FlowArrayGroupDispatcher] group created: 2",
        "[DoubleOp #1] WillStart", "[DoubleOp #1] add for output: 2", "[DoubleOp #1] DidFinish: successfully",
        "[DoubleOp #2] WillStart", "[DoubleOp #2] add for output: 4", "[DoubleOp #2] DidFinish: successfully",
        "[DataBucket] add for out: [2, 4]", "[FlowArrayGroupDispatcher] all finished. output size: 2",
        "[last] WillStart", "[last] DidFinish: withError: TestError(test)",
        "[DataBucket] end with:\nin: [1, 2]\nout: [2, 4]\ntarget: A",
      ])
    #expect(outcome.report.flowName == "mine")
    #expect(outcome.report.stepCount == 5)
    #expect(outcome.report.duration > .zero)
  }

  @Test func `a line that is logged after the run heads the next one, and stands at the end of this summary`() async {
    let flow = Flow("mine").step()
    _ = await flow.run()
    flow.log(message: "late")
    #expect(flow.generateSummary().contains("[mine] late"))
    let lines = await flow.run().report.lines
    #expect(lines.first == "[mine] late")
    #expect(lines.filter { $0.contains("late") }.count == 1)
  }
}
