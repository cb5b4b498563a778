import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct StepExportTests {
  private func make() -> Flow {
    Flow("Sample").set(.numbers, to: [3, 0, 2])
      .add("prepare", .reads(.numbers), .writes(.count)) { $0[.count] = try $0.require(.numbers).count }
      .add(CountOp())
      .cases(on: .target) {
        $0.when("A") { $0.add("a", .reads(.total), .writes(.name)) { $0[.name] = "a\(try $0.require(.total))" } }
        $0.when("B", "C") { $0.add("b") { $0[.name] = "b" } }
        $0.otherwise { $0.add("other") { context in context[.count] = nil } }
      }
      .add("last", .writesNothing) { _ = try $0.require(.total) }
  }

  @Test(arguments: ["A", "B", "C", "x", nil])
  func `steps and cases do what they do here`(target: String?) async throws {
    try await expectSame(make(), with: target.map { ["target": $0] } ?? [:])
  }

  @Test func `a nested flow that ends early lets the flow around it go on, and its data fills gaps`() async throws {
    func make() -> Flow {
      let inner = Flow("Inner").set(.target, to: "A").set(.count, to: 7)
        .cases(on: .target) { $0.when("A") { $0.add("a", .writes(.total)) { $0[.total] = 1 } } }
        .add("after", .writes(.name)) { $0[.name] = "after" }
      return Flow("Outer").add(flow: inner).add("b", .writes(.isWanted)) { $0[.isWanted] = true }
    }
    try await expectSame(make())
    let run = try await expectSame(make(), with: ["target": "B"])
    #expect(run.values?["a name"] == nil && run.values?["isWanted"] == .boolean(true))
  }

  @Test func `only what a step reads and may replace is sent, and only what it writes comes back`() async throws {
    let run = try await expectSame(make(), with: ["target": "A"])
    let states = try #require(try Value(run.definition.json)["States"]?.members)
    let count = try #require(states.first { $0.key.hasSuffix("CountOp") }?.value)
    #expect(count["Parameters"]?["bucket"] == .object(["count.$": .text("$.count"), "total.$": .text("$.total")]))
    #expect(count["ResultPath"] == .text("$.total"))
    #expect(states.first { $0.key.hasSuffix(" last") }?.value["ResultPath"] == .null)
  }

  @Test func `a value stays if a step declares to write it and doesn't`() async throws {
    let idle = { Flow().add("idle", .writes(.count)) { _ in } }
    #expect(try await expectSame(idle().set(.count, to: 1)).values?["count"] == .number(1))
    let second = Flow().add("first", .writes(.count)) { $0[.count] = 2 }.add(flow: idle())
    #expect(try await expectSame(second).values?["count"] == .number(2))
    let unknown = Flow().add("first") { $0[.count] = 3 }.add(flow: idle())
    #expect(try await expectSame(unknown).values?["count"] == .number(3))
    let inner = Flow().add(flow: idle().set(.count, to: 4))
    #expect(try await expectSame(inner).values?["count"] == .number(4))
  }

  @Test(arguments: [[:], ["count": 3], ["total": 3]] as [[String: Int]])
  func `a value of the input stays, and can be changed, if a step reads other keys and declares to write it`(
    given: [String: Int]
  ) async throws {
    let flow = Flow().add("idle", .reads(.target), .writes(.count)) { _ in }
      .add("changes", .reads(.target), .writes(.total)) { $0.update(.total, default: 0) { $0 += 1 } }
    var data: [String: any Sendable] = given
    data["target"] = "A"
    let run = try await expectSame(flow, with: data)
    #expect(run.values?["count"] == given["count"].map { .number(Double($0)) })
    #expect(run.values?["total"] == .number(Double(given["total", default: 0] + 1)))
  }

  @Test func `a step may remove what a later one declares to write`() async throws {
    let flow = Flow().set(.target, to: "A").add("removes", .writes(.name, .isWanted)) { context in
      context[.count] = nil
    }.add("idle", .reads(.target), .writes(.count)) { _ in }
    #expect(try await expectSame(flow, with: ["count": 3]).values?["count"] == nil)
  }

  @Test func `a nested flow's value counts if a step before it has declared one and written none`() async throws {
    let inner = Flow("Inner").set(.count, to: 7).add(CountOp())
    let flow = Flow("Outer").add("idle", .writes(.count)) { _ in }.add(flow: inner)
    #expect(try await expectSame(flow).values?["total"] == .number(8))
  }

  @Test func `no state is written that nothing leads to`() async throws {
    let flow = Flow().add("a", .writes(.count)) { $0[.count] = 1 }.cases(on: .target) { _ in }
      .add("b", .writes(.total)) { $0[.total] = 2 }.add("c", .when(.isWanted)) { _ in }
    #expect(try await ExportedRun(flow).values == ["count": .number(1)])
  }

  @Test func `steps that always run are refused where they would be lost, with their places`() {
    func add(_ flow: Flow) -> Flow { flow.add("a") { _ in }.always { $0.add("b") { _ in } } }
    let flow = Flow("Bad")
      .cases(on: .target) {
        $0.when("A") { _ = add($0) }
        $0.otherwise { $0.add("c") { _ in } }
      }
      .always("End") { _ = add($0) }
    let error = #expect(throws: StateMachineExportError.self) { try flow.amazonStatesLanguage(activity: activity) }
    let problem = "it has steps that always run at the end. Add them to the outermost flow with always(_:)."
    #expect(error?.reasons.map(\.description) == ["1. Cases: \(problem)", "2. End: \(problem)"])
  }

  @Test(arguments: ["it's", "operationFlow"])
  func `the name of a nested flow's value has to be a member of a state's data`(name: String) {
    let flow = Flow().add(flow: Flow("Inner").set(FlowKey<String>(name), to: "x").add("a") { _ in })
    let error = #expect(throws: StateMachineExportError.self) { try flow.amazonStatesLanguage(activity: activity) }
    #expect(error?.reasons.map(\.path) == ["1. Inner"])
    #expect(error?.reasons.first?.problem.contains("the name <\(name)> can't be a member") == true)
  }

  @Test(arguments: [true, false, nil]) func `a condition decides`(isWanted: Bool?) async throws {
    let flow = Flow()
      .add("wanted", .when(.isWanted), .writes(.count)) { $0[.count] = 1 }
      .add("also", .when(.isWanted) { !$0 }, .writes(.total)) { $0[.total] = 2 }
      .add("never", .when { _ in false }, .writes(.name)) { $0[.name] = "x" }
    try await expectSame(flow, with: isWanted.map { ["isWanted": $0] } ?? [:])
  }

  @Test func `all that cannot be carried over is refused at once, each with its place`() {
    struct Opaque: Sendable {}
    let flow = Flow("Bad")
      .add(operation: SquareOp())
      .add("opaque", .writes(FlowKey<Opaque>("opaque"))) { _ in }
      .add("secret", .reads(.token)) { _ in }
      .add("limited", .limited(by: FlowLimiter(atMost: 1)), .writesNothing) { _ in }
      .add("", .writesNothing) { _ in }
      .add("twice") { _ in }.add("twice") { _ in }
      .add("it's", .writes(FlowKey<Int>("it's"))) { _ in }
      .forEach(.numbers, .onEachResult { _, _, _ in }) { number, _ in number }
      .add("first", .priority(.high), .writesNothing) { _ in }
    let error = #expect(throws: StateMachineExportError.self) { try flow.amazonStatesLanguage(activity: activity) }
    let reasons = (error?.reasons ?? []).map { $0.description }
    let expected = [
      "1. SquareOp: its operation is an object", "2. opaque: <opaque> is a Opaque", "3. secret: <token> is sensitive",
      "4. limited: it needs permits", "5. : it has no name", "7. twice: another step", "8. it's: the name <it's>",
      "9. numbers: it hands on results", "10. first: its priority counts",
    ]
    #expect(reasons.count == expected.count, "\(reasons)")
    for (reason, start) in zip(reasons, expected) { #expect(reason.hasPrefix(start), "\(reason)") }
  }

  @Test func `a name can't forge a reason, or control a terminal`() {
    let name = "x\u{1B}[31m\n- forged"
    let flow = Flow(name).add(name, .limited(by: FlowLimiter(atMost: 1)), .writesNothing) { _ in }
    let error = #expect(throws: StateMachineExportError.self) { try flow.amazonStatesLanguage(activity: activity) }
    let text = error?.description ?? ""
    #expect(text.split(separator: "\n").count == 2 && !text.contains("\u{1B}"), "\(text)")
  }

  @Test func `more that cannot be carried over is refused`() {
    struct Opaque: Sendable {}
    func problem(_ flow: Flow, _ options: StateMachineOptions = StateMachineOptions()) -> String? {
      let error = #expect(throws: StateMachineExportError.self) {
        try flow.amazonStatesLanguage(activity: activity, options: options)
      }
      #expect(error?.reasons.count == 1, "\(error as Any)")
      #expect(error?.reasons.allSatisfy { $0.remedy.hasSuffix(".") && $0.problem.hasSuffix(".") } == true)
      return error?.reasons.first?.problem
    }
    let step = { Flow().add("a") { _ in } }
    #expect(problem(Flow())?.contains("no steps") == true)
    #expect(throws: StateMachineExportError.self) { try step().amazonStatesLanguage(activity: "Test") }
    #expect(problem(step().retryBudget(.retries(3)))?.contains("retry budget") == true)
    #expect(problem(Flow().add("a", .recover { _, _ in }) { _ in })?.contains("recovers") == true)
    #expect(problem(Flow().add("a", .timeout(.seconds(1), of: .allAttempts)) { _ in })?.contains("share") == true)
    #expect(problem(Flow().forEach(in: [1, 2]) { number, _ in number })?.contains("sequence") == true)
    #expect(
      problem(Flow().forEach(.numbers, .writes(.count)) { number, _ in number })?.contains("items write") == true)
    #expect(
      problem(Flow().add(flow: step().always { $0.add("b") { _ in } }))?.contains("always run") == true)
    #expect(
      problem(Flow().add(flow: Flow("I").set(FlowKey<Opaque>("o"), to: Opaque()).add("a") { _ in }))?.contains("<o>")
        == true)
    #expect(problem(step(), StateMachineOptions(taskTimeout: .zero))?.contains("time limit") == true)
    #expect(problem(step(), StateMachineOptions(heartbeat: .zero))?.contains("heartbeats") == true)
    #expect(problem(step(), StateMachineOptions(redeliveries: -1))?.contains("redeliveries") == true)
    #expect(problem(step().markSensitive("pin"))?.contains("<pin> is sensitive") == true)
    #expect(problem(Flow().forEach(.numbers, width: 20_000) { number, _ in number })?.contains("width") == true)
    // Deeper flows are refused, and the check doesn't overflow the stack.
    let deep = (1...3_000).reduce(Flow("0").add("a") { _ in }) { Flow("\($1)").add(flow: $0) }
    #expect(problem(deep)?.contains("more than 40 others") == true)
    let large = (0..<2_000).reduce(Flow()) { $0.add("step \($1)", .writesNothing) { _ in } }
    #expect(problem(large)?.contains("of at most 1,048,576") == true)
  }

  @Test func `an input that cannot be carried over is refused`() {
    struct Opaque: Sendable {}
    let flow = Flow().set(.token, to: "t").set(FlowKey<Opaque>("opaque"), to: Opaque())
    let error = #expect(throws: StateMachineExportError.self) { try flow.executionInput(with: ["it's": 1]) }
    #expect(error?.reasons.map(\.problem).count == 3, "\(error as Any)")
  }

  @Test func `sensitive values are carried only if that is allowed`() async throws {
    let make = {
      Flow().set(.token, to: "secret").add("use", .reads(.token), .writes(.count)) {
        $0[.count] = try $0.require(.token).count
      }
    }
    #expect(throws: StateMachineExportError.self) { try make().executionInput() }
    let run = try await expectSame(make(), options: StateMachineOptions(sensitiveValues: .plain))
    #expect(run.values?["count"] == .number(6))
  }

  @Test func `equal flows have equal texts, whatever their names are`() throws {
    let make = { Flow("Ü \"x\"\n").add(String(repeating: "ß👍\n", count: 60), .writesNothing) { _ in } }
    let text = try make().amazonStatesLanguage(activity: activity)
    #expect(text == (try make().amazonStatesLanguage(activity: activity)))
    #expect(try StructureCheck(text).problems == [])
    #expect(text.steps.count == 1)
  }
}
