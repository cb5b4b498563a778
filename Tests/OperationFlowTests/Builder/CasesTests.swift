import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct CasesTests {
  /// A flow over `values`, and the steps that it has run.
  private final class Trail: Sendable {
    let flow: Flow
    private let visited = Journal<String>()

    init(_ values: [String: any Sendable]) { flow = Flow().setDataBucket(dataBucket: values) }

    /// Adds a step that leaves its name; as a branch if it has a case.
    @discardableResult
    func add(_ name: String, _ flowCase: FlowCase? = nil) -> Trail {
      let visited = visited
      flow.add(
        BlockOp(name) {
          visited.append(name)
          $0.finishSuccessfully()
        }, flowCase: flowCase)
      return self
    }

    func combine() -> Trail {
      flow.combine()
      return self
    }

    func run() async -> (names: [String], outcome: FlowOutcome) {
      let outcome = await flow.run()
      return (visited.entries, outcome)
    }
  }

  private func target(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }

  @Test(arguments: ["A", "B"]) func `the branch whose string the key holds is taken`(value: String) async {
    let run = await Trail(["target": value]).add("first").add("a", target("A")).add("a2").add("b", target("B"))
      .combine().add("last").run()
    #expect(run.names == (value == "A" ? ["first", "a", "a2", "last"] : ["first", "b", "last"]))
    #expect(run.outcome.report.lines.contains("[Cases] chosen: target=\(value)"))
  }

  @Test func `the key may be written by a step before`() async {
    let trail = Trail([:])
    trail.flow.step {
      $0.setData(name: "target", value: "A")
      $0.finishSuccessfully()
    }
    #expect(await trail.add("b", target("B")).add("a", target("A")).run().names == ["a"])
  }

  @Test func `no match without otherwise ends the flow early, as a success, and says what the keys held`() async {
    let trail = Trail(["target": "C"]).add("a", target("A")).add("other", FlowCase(key: "missing", value: "x"))
    let run = await trail.combine().add("last").run()
    #expect(run.names == [])
    #expect(run.outcome.isSuccess)
    #expect(
      run.outcome.report.lines.dropFirst().first
        == "[Cases] no case is matched. finished in early. <target> is <C>. <missing> is missing.")
  }

  @Test func `one lone case that does not match ends the flow early as well`() async {
    let run = await Trail(["target": "B"]).add("a", target("A")).combine().add("last").run()
    #expect(run.names == [])
    #expect(run.outcome.isSuccess)
  }

  @Test func `a value that is no string is no match, and the log says its type`() async {
    let run = await Trail(["target": 5]).add("a", FlowCase(key: "target", value: "5")).run()
    #expect(run.names == [])
    #expect(run.outcome.isSuccess)
    #expect(run.outcome.report.lines.joined().contains("<target> is <5> with type <Int>, but NOT type <String>."))
  }

  @Test func `of two cases with the same key and value the first is taken`() async {
    #expect(await Trail(["target": "A"]).add("first", target("A")).add("second", target("A")).run().names == ["first"])
  }

  @Test func `cases with other keys are further branches of the same block, asked in order`() async {
    let other = FlowCase(key: "other", value: "x")
    let both = await Trail(["target": "A", "other": "x"]).add("other", other).add("a", target("A")).run()
    #expect(both.names == ["other"])
    let second = await Trail(["target": "A", "other": "y"]).add("other", other).add("a", target("A")).run()
    #expect(second.names == ["a"])
  }

  @Test(arguments: [0, 1, 2]) func `otherwise is taken when nothing else fits, wherever it stands`(position: Int) async
  {
    for value in ["A", "B", "C"] {
      let trail = Trail(["target": value])
      for index in 0..<3 {
        if index == position { trail.add("otherwise", .otherwise) }
        if index < 2 { trail.add(["A", "B"][index], target(["A", "B"][index])) }
      }
      let run = await trail.combine().add("last").run()
      #expect(run.names == [value == "C" ? "otherwise" : value, "last"])
    }
  }

  @Test func `otherwise alone is always taken, and the first of two`() async {
    #expect(await Trail([:]).add("one", .otherwise).add("two", .otherwise).run().names == ["one"])
  }

  @Test func `combine without cases does nothing`() async {
    #expect(await Trail([:]).combine().add("a").combine().combine().add("b").combine().run().names == ["a", "b"])
  }

  @Test func `without combine the steps belong to the last branch`() async {
    let taken = await Trail(["target": "B"]).add("a", target("A")).add("b", target("B")).add("more").run()
    #expect(taken.names == ["b", "more"])
    let skipped = await Trail(["target": "A"]).add("a", target("A")).add("b", target("B")).add("more").run()
    #expect(skipped.names == ["a"])
  }

  @Test func `two blocks of cases can follow each other with nothing between`() async {
    let trail = Trail(["target": "A", "other": "y"])
    trail.add("a", target("A")).add("b", target("B")).combine()
      .add("x", FlowCase(key: "other", value: "x")).add("y", FlowCase(key: "other", value: "y")).combine().add("last")
    #expect(await trail.run().names == ["a", "y", "last"])
  }

  @Test func `a failure in a branch ends the flow`() async {
    let trail = Trail(["target": "A"])
    trail.flow.add(BlockOp { $0.finishWithError(error: TestError()) }, flowCase: target("A")).combine()
    let run = await trail.add("last").run()
    #expect(run.names == [])
    #expect(run.outcome.error as? TestError == TestError())
  }

  @Test func `every kind of step can begin a branch`() async {
    let group = FlowArrayGroupDispatcher(inputKey: "numbers", outputKey: "out")
    for value in ["object", "factory", "type", "group"] {
      let outcome = await Flow().setDataBucket(dataBucket: ["target": value, "numbers": [1]])
        .add(operation: SuccessOp(), flowCase: target("object"))
        .add(LaterOp(), flowCase: target("factory"))
        .add(SuccessOp.self, flowCase: target("type"))
        .addGrouped(operationCreator: DoubleOp.self, dispatcher: group, flowCase: target("group"))
        .run()
      #expect(outcome.isSuccess)
      #expect(outcome.report.lines.contains("[Cases] chosen: target=\(value)"))
    }
  }
}
