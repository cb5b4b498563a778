import OperationFlow
import TestSupport
import Testing

/// Cases in the predecessor's style: a branch begins with its case, and ends with the next case or `combine()`.
@Suite(.watched) struct CasesTests {
  private func target(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }
  private func other(_ value: String) -> FlowCase { FlowCase(key: "other", value: value) }

  /// Returns a flow of steps; one with a case begins a branch, and an empty name is a `combine()`.
  private func flow(_ steps: (name: String, flowCase: FlowCase?)...) -> Flow {
    let flow = Flow()
    for (name, flowCase) in steps {
      if name.isEmpty { flow.combine() } else { flow.add(operation: BlockOp(name), flowCase: flowCase) }
    }
    return flow
  }

  /// Expects that a flow succeeds and runs these steps, given this data.
  @discardableResult
  private func check(
    _ promise: String, _ flow: Flow, with data: [String: any Sendable] = [:], runs names: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> FlowReport {
    let outcome = await flow.run(with: data)
    #expect(outcome.isSuccess, "\(promise)", sourceLocation: sourceLocation)
    #expect(outcome.report.started == names.map { "[\($0)]" }, "\(promise)", sourceLocation: sourceLocation)
    return outcome.report
  }

  @Test func `the branch whose string the key holds is taken`() async {
    let make = {
      flow(("first", nil), ("a", target("A")), ("a2", nil), ("b", target("B")), ("", nil), ("last", nil))
    }
    let report = await check("the first", make(), with: ["target": "A"], runs: "first", "a", "a2", "last")
    #expect(report.lines.contains("[Cases] chosen: target=A"))
    await check("the second", make(), with: ["target": "B"], runs: "first", "b", "last")
    let written = Flow().add("write") { $0["target"] = "A" }
      .add(operation: BlockOp("b"), flowCase: target("B")).add(operation: BlockOp("a"), flowCase: target("A"))
    await check("a step before writes it", written, runs: "write", "a")
  }

  @Test func `no match without otherwise ends the flow early, as a success, and says what the keys held`() async {
    let two = flow(("a", target("A")), ("other", other("x")), ("", nil), ("last", nil))
    #expect(
      await check("none of two", two, with: ["target": "C"]).lines.dropFirst().first
        == "[Cases] no case is matched. finished in early. <target> is <C>. <other> is missing.")
    let one = flow(("a", target("A")), ("", nil), ("last", nil))
    await check("not the only one", one, with: ["target": "B"])
    let five = await check("no string", flow(("a", target("5"))), with: ["target": 5])
    #expect(five.lines.joined().contains("<target> is <5> with type <Int>, but NOT type <String>."))
  }

  @Test func `cases are asked in order, whatever their keys`() async {
    await check("equal", flow(("1", target("A")), ("2", target("A"))), with: ["target": "A"], runs: "1")
    let make = { flow(("other", other("x")), ("a", target("A"))) }
    await check("both", make(), with: ["target": "A", "other": "x"], runs: "other")
    await check("the second", make(), with: ["target": "A", "other": "y"], runs: "a")
  }

  @Test func `otherwise is taken when nothing else fits, wherever it stands`() async {
    for position in 0..<3 {
      var branches = [("A", target("A")), ("B", target("B"))]
      branches.insert(("otherwise", .otherwise), at: position)
      for (value, name) in [("A", "A"), ("B", "B"), ("C", "otherwise")] {
        let flow = Flow()
        for (name, flowCase) in branches { flow.add(operation: BlockOp(name), flowCase: flowCase) }
        await check(value, flow.combine().add(BlockOp("last")), with: ["target": value], runs: name, "last")
      }
    }
    await check("the first of two", flow(("one", .otherwise), ("two", .otherwise)), runs: "one")
  }

  @Test func `combine ends the cases, and without it the steps belong to the last branch`() async {
    await check("no cases", flow(("", nil), ("a", nil), ("", nil), ("", nil), ("b", nil), ("", nil)), runs: "a", "b")
    let open = { flow(("a", target("A")), ("b", target("B")), ("more", nil)) }
    await check("the last", open(), with: ["target": "B"], runs: "b", "more")
    await check("another", open(), with: ["target": "A"], runs: "a")
    let two = flow(
      ("a", target("A")), ("b", target("B")), ("", nil), ("x", other("x")), ("y", other("y")), ("", nil), ("last", nil))
    await check("two blocks with nothing between", two, with: ["target": "A", "other": "y"], runs: "a", "y", "last")
  }

  @Test func `a failure in a branch ends the flow`() async {
    let flow = Flow().add(operation: BlockOp { $0.finishWithError(error: TestError()) }, flowCase: .otherwise).combine()
    #expect(await flow.step { _ in fail("ran") }.run().error as? TestError == TestError())
  }

  @Test(arguments: ["object", "type", "group"]) func `an operation or a group can begin a branch`(value: String) async {
    let group = FlowArrayGroupDispatcher(inputKey: "numbers", outputKey: "out")
    let outcome = await Flow().setDataBucket(dataBucket: ["target": value, "numbers": [1]])
      .add(operation: SuccessOp(), flowCase: target("object"))
      .add(operation: SuccessOp.create(), flowCase: target("type"))
      .addGrouped(operationCreator: DoubleOp.self, dispatcher: group, flowCase: target("group"))
      .run()
    #expect(outcome.isSuccess && outcome.report.started.count == 1)
    #expect(outcome.report.lines.contains("[Cases] chosen: target=\(value)"))
  }
}
