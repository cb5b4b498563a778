import Testing

@testable import OperationFlow

extension FlowKey where Value == [Int] {
  fileprivate static var squares: Self { "squares" }
}

@Suite(.watched) struct StepTraitTests {
  private func options(_ traits: StepTrait<FlowStep.Repeatable>...) -> StepOptions {
    StepOptions(traits)
  }

  // MARK: Options

  @Test func `the last name and the last weight count`() {
    let options = options(.named("a"), .weight(2), .named("b"), .weight(3))
    #expect(options.name == "b")
    #expect(options.weight == 3)
  }

  @Test func `a weight outside of the range is taken as the nearest in it`() {
    #expect(options(.weight(-1)).weight == 0)
    #expect(options(.weight(.max)).weight == 1_000_000)
    #expect(options().weight == 1)
  }

  @Test func `a copy of a step has all options, and changes none but its own`() {
    let step = Blueprint.Step(
      name: "a", kind: .closure(.sync { _ in }), options: options(.weight(3), .timeout(.seconds(1)), .reads(.numbers)))
    var copy = step
    copy.changeOptions { $0.weight = 5 }
    #expect(step.weight == 3 && copy.weight == 5)
    #expect(copy.options?.attempts?.timeout == .seconds(1))
    #expect(copy.options?.declared?.reads?.map(\.name) == ["numbers"])
  }

  @Test func `keys add up, and what is not declared is not known`() throws {
    let declared = try #require(
      options(.reads("a" as FlowKey<Int>), .reads(optional: "b" as FlowKey<String>), .reads(.numbers)).declared)
    let reads = try #require(declared.reads)
    #expect(reads.map(\.name) == ["a", "b", "numbers"])
    #expect(reads.map(\.isRequired) == [true, false, true])
    #expect(reads.map { $0.type.map(ObjectIdentifier.init) }.last == ObjectIdentifier([Int].self))
    #expect(declared.writes == nil)
    let writes = try #require(options(.writes(.numbers, .squares), .writesNothing).declared)
    #expect(writes.writes?.map(\.name) == ["numbers", "squares"])
    #expect(writes.reads == nil)
    #expect(options(.reads(.numbers, optional: .squares)).declared?.reads?.map(\.isRequired) == [true, false])
    #expect(options(.named("a")).declared == nil)
  }

  // MARK: Names

  @Test func `a name takes the place of every kind of step's own`() async {
    let flow = Flow().set(.numbers, to: [1])
      .add(operation: SuccessOp(), .named("object"))
      .add(SuccessOp(), .named("factory"))
      .add("closure", .named("renamed")) { _ in }
      .add(flow: Flow("inner").add("in it") { _ in }, .named("prepare"))
      .cases(on: "target", .named("Targets")) { $0.otherwise { $0.add(CopyOp("missing")) } }
    let started = await Flow().add(flow: flow).run(with: ["missing": 1]).report.started
    #expect(
      started == ["[Flow]", "[object]", "[factory]", "[renamed]", "[prepare]", "[in it]", "[CopyOp]"])
    #expect(
      Flow().cases(on: "target", .named("Targets")) { $0.otherwise { $0.add(CopyOp("missing"), .named("copies")) } }
        .faults == ["error missingData at 1. Targets > otherwise > 1. copies: missing"])
  }

  @Test func `an operation has the name itself`() async {
    let operation = SuccessOp()
    operation.name = "own"
    let flow = Flow().add(operation: operation, .named("given"))
    #expect(operation.name == "given" && operation.displayName == "[given]")
    #expect(await flow.run().report.started == ["[given]"])
  }

  @Test func `a group has the name, and its closure's items do`() async {
    let report = await Flow().set(.numbers, to: [3])
      .forEach(.numbers, into: .squares, .named("square")) { number, _ in number * number }
      .run().report
    #expect(report.started == ["[square #1]"])
    #expect(report.lines.contains("[square] group created: 1"))
    for flow in [
      Flow().forEach(in: [1], .named("each")) { _, _ in }, Flow().forEach(in: stream(1), .named("each")) { _, _ in },
    ] {
      #expect(await flow.run().report.started == ["[each #1]"])
    }
  }

  @Test func `items that are operations keep their operation's name`() async {
    let dispatcher = FlowArrayGroupDispatcher(inputKey: .numbers, outputKey: .squares)
    for flow in [
      Flow().forEach(.numbers, into: .squares, run: SquareOp.self, .named("square")),
      Flow().addGrouped(operationCreator: SquareOp.self, dispatcher: dispatcher, .named("square")),
    ] {
      let report = await flow.run(with: ["numbers": [3]]).report
      #expect(report.started == ["[SquareOp #1]"])
      #expect(report.lines.contains("[square] group created: 1"))
      #expect(report[.squares] == [9])
    }
  }

  // MARK: Where traits may stand

  @Test func `a step with traits can be the first of a branch`() async {
    let web = FlowCase(key: "target", value: "web")
    let squares = FlowArrayGroupDispatcher(inputKey: .numbers, outputKey: .squares)
    let flow = Flow().set(.numbers, to: [1, 2])
      .add(operation: BlockOp { _ in fail("ran") }, .weight(2), flowCase: FlowCase(key: "target", value: "print"))
      .add(operation: SuccessOp(), .weight(2), .named("a"), flowCase: web).combine()
      .addGrouped(operationCreator: SquareOp.self, dispatcher: squares, .weight(2), flowCase: web)
    let report = await flow.run(with: ["target": "web"]).report
    #expect(Set(report.started) == ["[a]", "[SquareOp #1]", "[SquareOp #2]"])
  }

  @Test func `functions are given with a label, behind traits as well`() async {
    @Sendable func mark(_ context: FlowContext) { context["marked" as FlowKey<Bool>] = true }
    @Sendable func square(_ number: Int, _ context: FlowContext) async throws -> Int { number * number }
    let report = await Flow().set(.numbers, to: [1, 2])
      .add("mark", .weight(2), run: mark)
      .forEach(.numbers, into: .squares, .weight(2), run: square)
      .run().report
    #expect(report["marked" as FlowKey<Bool>] == true)
    #expect(report[.squares] == [1, 4])
  }

  private func stream(_ numbers: Int...) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for number in numbers { continuation.yield(number) }
      continuation.finish()
    }
  }
}
