import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct ValidationTests {
  private func target(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }

  @Test func `every problem is found at once, each with its step's path`() {
    let inner = Flow("inner").add(CopyOp("x"))
    let flow = Flow().set("target", to: "web").combine()
      .add(WriteOp("a"))
      .cases(on: "target") {
        $0.when("web") { $0.add(WriteOp("b")).add(CopyOp("y")) }
        $0.otherwise { $0.add(flow: inner) }
      }
      .add(flow: inner)
      .add(WriteTextOp("a")).add(CopyOp("a"))
      .forEach(in: [1], width: 0) { _, _ in }
    #expect(
      flow.findings == [
        "warning misplacedCombine at the start",
        "error missingData at 2. Cases > target=web > 2. CopyOp: y",
        "error missingData at 2. Cases > otherwise > 1. inner > 1. CopyOp: x",
        "error missingData at 3. inner > 1. CopyOp: x",
        "warning mismatchedData at 4. WriteTextOp: a",
        "error mismatchedData at 5. CopyOp: a",
        "error invalidWidth at 6. forEach",
      ])
  }

  @Test func `checking runs nothing and changes nothing`() {
    let flow = Flow().set("a", to: 1).add("fail") { _ in fail("ran") }.add(CopyOp("b")).add(operation: SuccessOp())
    #expect(flow.findings == flow.findings)
    #expect(flow.dataBucket.keys.sorted() == ["a"])
  }

  @Test func `a flow with errors is refused, with all of them, and runs nothing`() async throws {
    let flow = Flow("Bad").add("first") { _ in fail("ran") }.forEach(in: [1], width: 0) { _, _ in }
      .forEach(in: [1], width: -1) { _, _ in }
    for outcome in [await flow.run(), await flow.start().outcome] {
      let error = try #require(outcome.error as? FlowError)
      #expect(error.code == .invalidFlow)
      #expect(error.flow == "Bad")
      for problem in flow.validate() {
        #expect(error.description.contains(problem.path.description))
        #expect(error.description.contains(problem.problem))
        #expect(error.description.contains(problem.remedy))
      }
      #expect(outcome.report.started == [])
      #expect(outcome.report.stepCount == 0)
      #expect(!outcome.report.summary.isEmpty && outcome.report.summary.contains("Flow isSuccess: false"))
    }
    #expect(!flow.isSuccess)
  }

  @Test func `a single problem keeps its own code, place and remedy`() async throws {
    let flow = Flow("Bad").combine().add(CopyOp("a"))
    let problem = try #require(flow.validate().last)
    let error = try #require(await flow.run().error as? FlowError)
    #expect(error.code == .missingData)
    #expect(error.key == "a")
    #expect(error.step == "1. CopyOp")
    #expect(error.flow == "Bad")
    #expect(error.problem == problem.problem)
    #expect(error.remedy == problem.remedy)
  }

  @Test func `a problem is one line, whatever its names are`() async throws {
    let (name, shown) = ("a\n- b\u{202E}", "a\\n- b\\u{202E}")
    let flow = Flow().add("read\nme", .reads(FlowKey<Int>(name)), .writesNothing) { _ in }
    let problem = try #require(flow.validate().first)
    #expect(problem.description.hasPrefix("error: 1. read\\nme: can't find <\(shown)> in data bucket"))
    #expect(!problem.description.contains { $0.isNewline } && problem.key == name)
    // A name can't forge another item in the list of errors.
    let error = try #require(await flow.forEach(in: [1], width: 0) { _, _ in }.run().error as? FlowError)
    #expect(error.problem.split(separator: "\n").count == 3)
  }

  @Test func `warnings stop nothing`() async {
    let flow = Flow().combine().set("target", to: "A").add(WriteOp("a")).add(WriteTextOp("a"))
      .add(operation: SuccessOp(), flowCase: target("A")).add(operation: SuccessOp(), flowCase: target("A")).combine()
    #expect(flow.validate().count == 3)
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess)
  }

  @Test func `did-finish comes for a flow that is refused`() async {
    let isFinished = Signal()
    Flow().add(CopyOp("a")).setDidFinishBlock { flow in
      #expect((flow.error as? FlowError)?.code == .missingData)
      isFinished.fire()
    }.start()
    await isFinished.wait()
  }

  @Test func `a refused flow keeps its operation objects for the next try`() async {
    let flow = Flow().add(operation: CopyOp("a"))
    #expect(await flow.run().code == .missingData)
    #expect(await flow.run(with: ["a": 1]).isSuccess)
  }

  @Test func `what an inner flow brings along counts if the name is missing`() async {
    let inner = Flow("inner").set("a", to: 1).add(CopyOp("a"))
    #expect(Flow().add(flow: inner).findings == [])
    #expect(Flow().add(flow: inner).add(CopyOp("a")).findings == [])
    let mistyped = Flow("inner").set("a", to: "text").add(CopyOp("a"))
    #expect(Flow().add(flow: mistyped).faults == ["error mismatchedData at 1. inner > 1. CopyOp: a"])
    for writer in [Flow().set("a", to: 1), Flow().add(WriteOp("a")), Flow().add(SecretWriteOp("a"))] {
      let flow = writer.add(flow: mistyped)
      #expect(flow.faults == [])
      #expect(await flow.run().isSuccess)
    }
  }

  @Test func `behind an inner flow that may end early, only what is written before is certain`() async {
    let inner = Flow("inner").add(WriteOp("a")).add(operation: WriteOp("b"), flowCase: target("A")).combine().add(
      WriteOp("c"))
    let flow = { (name: String) in Flow().set("target", to: "B").add(flow: inner).add(CopyOp(name)) }
    #expect(flow("a").faults == [])
    #expect(flow("b").findings.suffix(1) == ["warning missingData at 2. CopyOp: b"])
    #expect(flow("c").findings.suffix(1) == ["warning missingData at 2. CopyOp: c"])
    // The flow may have ended while the name still had a number. This is reported even if no run gets to its end.
    for second in ["first", "second"] {
      let twice = Flow("inner")
        .add(operation: SuccessOp(), .writesNothing, flowCase: FlowCase(key: "first", value: "A")).combine()
        .add(WriteOp("b"))
        .add(operation: SuccessOp(), .writesNothing, flowCase: FlowCase(key: second, value: "B")).combine()
        .add(WriteTextOp("b"))
      let number = Flow().set("first", to: "A").set("second", to: "A").add(flow: twice).add(CopyOp("b"))
      #expect(number.faults == [])
      #expect(await number.run().isSuccess)
    }
  }

  @Test func `behind cases that end the flow unless they match, they are known to have matched`() async {
    // Only "A" gets past the first cases, so validation doesn't report that the other branch lacks an input.
    let flow = Flow().set("first", to: "A").set("target", to: "A").cases(on: "first") { cases in
      cases.when("A") { $0.cases(on: "target") { $0.when("A") { $0.step() } } }
    }
    .cases(on: "target") { cases in
      cases.when("A") { $0.step() }
      cases.otherwise { $0.add(CopyOp("missing")) }
    }
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess)
  }

  @Test func `many cases after each other are checked at once`() {
    let flow = Flow().set("a", to: 1)
    for index in 0..<60 {
      // Every other key is compared twice.
      flow.set(FlowKey<String>("k\(index % 40)"), to: "A").cases(on: FlowKey("k\(index % 40)")) {
        $0.when("A") { $0.add(WriteOp("b\(index)")) }
        $0.when("B") { $0.add(WriteOp("b\(index)")) }
        $0.otherwise { $0.add(CopyOp("a", to: "b\(index)")) }
      }
    }
    #expect(flow.findings == [])
    #expect(flow.add(CopyOp("b59")).add(CopyOp("c")).findings == ["error missingData at 62. CopyOp: c"])
  }

  @Test(arguments: [2, 20, 60]) func `what many branches write is known behind them, and within those that follow`(
    count: Int
  ) {
    let flow = Flow().set("target", to: "0").set("first", to: 1)
    for round in 0..<2 {
      flow.cases(on: "target") { cases in
        for index in 0..<count {
          cases.when("\(index)") {
            if round == 1 { $0.add(CopyOp("first")).add(CopyOp("own \(index)")).add(CopyOp("common")) }
            $0.add(WriteOp("own \(index)")).add(WriteOp("common"))
          }
        }
        cases.otherwise { $0.add(WriteOp("common")) }
      }
    }
    #expect(flow.findings == [])
    flow.add(CopyOp("common")).add(CopyOp("own 1")).add(CopyOp("other"))
    // Several steps write the other names, so that those may be there.
    #expect(flow.findings == ["error missingData at 5. CopyOp: other"])
  }
}
