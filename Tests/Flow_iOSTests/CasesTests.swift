import Flow_iOS
import TestSupport
import Testing

@Suite(.watched) struct CasesTests {
  private func steps(_ flow: Flow) -> [String] {
    flow.lines.filter { $0.hasPrefix("[PrintOp] Step") }.map { String($0.dropFirst("[PrintOp] ".count)) }
  }

  @Test(arguments: ["A", "B"]) func `the case that fits is run and combine goes on behind it`(target: String) async {
    let flow = await finished { cases(target: target, didFinish: $0) }
    #expect(steps(flow) == ["Step1", "Step2\(target)1", "Step2\(target)2", "Step3"])
    #expect(flow.isSuccess)
  }

  @Test func `if no case fits, the flow ends early as a success`() async {
    let flow = await finished { cases(target: "C", didFinish: $0) }
    #expect(steps(flow) == ["Step1"])
    #expect(flow.isSuccess)
    #expect(flow.lines.contains("[Cases] no case is matched. finished in early. <target> is <C>."))
  }

  @Test func `cases can be kept in variables, and be none`() async {
    let flow = await finished { casesByVariables(target: "B", didFinish: $0) }
    #expect(flow.lines.filter { $0 == "[PrintOp] case" }.count == 1)
  }

  @Test func `cases of different keys in one block are asked in order`() async {
    let flow = await finished(
      Flow()
        .setDataBucket(dataBucket: ["first": "no", "second": "yes"])
        .add(operation: PrintOp(message: "Step1"), flowCase: FlowCase(key: "first", value: "yes"))
        .add(operation: PrintOp(message: "Step2"), flowCase: FlowCase(key: "second", value: "yes"))
        .combine()
        .add(operation: PrintOp(message: "Step3")))
    #expect(steps(flow) == ["Step2", "Step3"])
  }

  @Test func `two blocks can follow each other with only combine between them`() async {
    let flow = await finished(
      Flow()
        .setDataBucket(dataBucket: ["first": "yes", "second": "yes"])
        .add(operation: PrintOp(message: "Step1"), flowCase: FlowCase(key: "first", value: "yes"))
        .combine()
        .add(operation: PrintOp(message: "Step2"), flowCase: FlowCase(key: "second", value: "yes"))
        .combine()
        .add(operation: PrintOp(message: "Step3")))
    #expect(steps(flow) == ["Step1", "Step2", "Step3"])
  }

  @Test func `of two cases that both fit the first is taken`() async {
    let flow = await finished(
      Flow()
        .setDataBucket(dataBucket: ["key": "x"])
        .add(operation: PrintOp(message: "Step1"), flowCase: FlowCase(key: "key", value: "x"))
        .add(operation: PrintOp(message: "Step2"), flowCase: FlowCase(key: "key", value: "x")))
    #expect(steps(flow) == ["Step1"])
  }

  @Test func `a forgotten combine leaves the next step to the last branch`() async {
    let flow = await finished(
      Flow()
        .setDataBucket(dataBucket: ["key": "x"])
        .add(operation: PrintOp(message: "Step1"), flowCase: FlowCase(key: "key", value: "x"))
        .add(operation: PrintOp(message: "Step2"), flowCase: FlowCase(key: "key", value: "y"))
        .add(operation: PrintOp(message: "Step3")))
    #expect(steps(flow) == ["Step1"])
  }

  @Test func `combine without cases does nothing`() async {
    let flow = await finished(
      Flow().combine().add(operation: PrintOp(message: "Step1")).combine().add(operation: PrintOp(message: "Step2")))
    #expect(steps(flow) == ["Step1", "Step2"])
  }
}
