import OperationFlow
import OperationFlowReports
import Testing

@Suite(.watched) struct FlowPathTests {
  /// Returns a flow with every kind of step, nested.
  private func makeFlow() -> Flow {
    let inner = Flow("inner").step().forEach(in: 0..<2) { _, _ in }
    let flow = Flow("outer").add("first") { _ in }
      .cases(on: "target") {
        $0.when("web") { $0.step().add(flow: inner) }
        $0.when("web") { $0.step() }
        $0.otherwise { $0.step() }
      }
      .add(flow: inner)
    flow.addParallel("both", ["left": Flow().step(), "right": Flow().add(flow: inner)])
    return flow
  }

  @Test func `a path tells the way from the outermost step in`() {
    let paths = makeFlow().blueprint.allSteps.map(\.path.description)
    #expect(
      paths == [
        "1. first", "2. Cases", "2. Cases > target=web > 1. BlockOp", "2. Cases > target=web > 2. inner",
        "2. Cases > target=web > 2. inner > 1. BlockOp", "2. Cases > target=web > 2. inner > 2. forEach",
        "2. Cases > target=web (2) > 1. BlockOp", "2. Cases > otherwise > 1. BlockOp", "3. inner",
        "3. inner > 1. BlockOp", "3. inner > 2. forEach", "4. both", "4. both > left > 1. BlockOp",
        "4. both > right > 1. inner", "4. both > right > 1. inner > 1. BlockOp",
        "4. both > right > 1. inner > 2. forEach",
      ])
    #expect(Set(paths).count == paths.count)
  }

  @Test func `the same flow has the same paths, whichever object it is`() {
    #expect(makeFlow().blueprint.allSteps.map(\.path) == makeFlow().blueprint.allSteps.map(\.path))
    #expect(makeFlow().blueprint.steps[0].path == "1. first")
    #expect(makeFlow().blueprint.steps[0].path.hashValue == FlowPath("1. first").hashValue)
  }

  @Test func `no name can pass for a path`() {
    let flow = Flow().add("a > 1. b") { _ in }.add(flow: Flow("a > 1. b").add("c") { _ in })
    #expect(
      flow.blueprint.allSteps.map(\.path.description) == ["1. a \\> 1. b", "2. a \\> 1. b", "2. a \\> 1. b > 1. c"])
  }

  @Test func `branches of a sensitive key have paths of their own that do not show its values`() {
    let pin = FlowKey<String>("pin", sensitive: true)
    let flow = Flow().cases(on: pin) {
      $0.when("1234") { $0.step() }
      $0.when("5678") { $0.step() }
    }
    let paths = flow.blueprint.allSteps.map(\.path.description)
    #expect(
      paths == ["1. Cases", "1. Cases > pin=<redacted> > 1. BlockOp", "1. Cases > pin=<redacted> (2) > 1. BlockOp"])
  }

  @Test func `a branch of a name that is marked sensitive, or redacted, does not show its value either`() async {
    let flow = Flow().setData(name: "iban", value: "1234")
      .add(operation: SuccessOp(), flowCase: FlowCase(key: "iban", value: "1234"))
    #expect(flow.blueprint.allSteps.map(\.path).last == "1. Cases > iban=1234 > 1. SuccessOp")
    let redacting = flow.redaction(.standard.adding("iban")).blueprint
    #expect(redacting.allSteps.map(\.path).last == "1. Cases > iban=<redacted> > 1. SuccessOp")
    flow.redaction(.standard).markSensitive("iban")
    #expect(flow.blueprint.allSteps.map(\.path).last == "1. Cases > iban=<redacted> > 1. SuccessOp")
    let paths = await flow.run().report.events.compactMap { $0.path?.description }
    #expect(!paths.isEmpty && !paths.contains { $0.contains("1234") })
  }

  // MARK: What carries it

  @Test func `events carry the path of their step, and what it writes as well`() async {
    let outcome = await Flow("outer").add("greet") { $0[FlowKey<Int>("a")] = 1 }
      .add(flow: Flow("inner").add("log") { $0.log("hi") }).run()
    let told = outcome.report.events.compactMap { event in event.path.map { "\($0): \(event.source)" } }
    #expect(
      told == [
        "1. greet: [greet]", "1. greet: [DataBucket]", "1. greet: [greet]", "2. inner: [inner]",
        "2. inner > 1. log: [log]", "2. inner > 1. log: [log]", "2. inner > 1. log: [log]", "2. inner: [inner]",
      ])
    #expect(outcome.report.events.first?.path == nil && outcome.report.events.last?.path == nil)
  }

  @Test func `observers and subscribers are told the same paths as the record has`() async {
    let seen = Journal<FlowPath?>()
    let flow = Flow().step().forEach(in: 0..<3) { _, _ in }.observe { event in seen.append(event.path) }
    let outcome = await flow.run()
    #expect(seen.entries == outcome.report.events.map(\.path))
    #expect(seen.entries.contains("2. forEach"))
  }

  @Test func `errors, failures of items and problems carry the path`() async throws {
    let missing = FlowKey<Int>("missing")
    let flow = Flow().add(flow: Flow("inner").add("read") { _ = try $0.require(missing) })
    let error = try #require(await flow.run().error as? FlowError)
    #expect(error.path == "1. inner > 1. read" && error.attempt == 1)

    let group = Flow().step().forEach(in: 0..<3, tolerating: .all) { item, _ in if item == 1 { throw TestError() } }
    let failure = try #require(await group.run().report.itemFailures.first)
    #expect(failure.path == "2. forEach" && failure.index == 1 && failure.attempt == 1)

    let problem = try #require(Flow().forEach(in: 0..<3, width: 0) { _, _ in }.validate().first)
    #expect(problem.path == "1. forEach")
  }

  @Test func `events are numbered in their order`() async {
    let report = await Flow().step().forEach(in: 0..<100, width: 3) { _, context in context.log("x") }.run().report
    #expect(report.events.map(\.number) == Array(0..<report.events.count))
  }
}
