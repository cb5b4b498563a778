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
}
