import TestSupport
import Testing

@testable import OperationFlow

/// An operation that declares no keys.
private final class KeylessOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { KeylessOp() }
  override func run() async {}
}
/// An operation that declares only its input.
private final class ConsumerOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { ConsumerOp() }
  @FlowInput var item: Int
  override func run() async {}
}
/// An operation with a declared output, whose input is a primary key.
private final class MixedOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { MixedOp() }
  override var primaryInputParamKey: String { "item" }
  @FlowOutput var result: Int?
  override func run() async {}
}

/// Tests invalid numbers, and flows and groups that lack something.
@Suite(.watched) struct AttemptRulesTests {
  private let numbers: FlowKey<[Int]> = "numbers"
  private let out: FlowKey<[Int]> = "out"

  /// Expects that validation and a run find exactly this fault, and that nothing starts.
  private func refuses(_ flow: Flow, _ fault: String, remedy: String, sourceLocation: SourceLocation = #_sourceLocation)
    async
  {
    #expect(flow.faults == ["error " + fault], sourceLocation: sourceLocation)
    let outcome = await flow.run()
    let error = outcome.error as? FlowError
    #expect(fault.hasPrefix(error?.code.description ?? "none") && outcome.report.started == [])
    #expect(outcome.report.stepCount == 0)
    #expect(error?.description.contains(remedy) == true, "\(outcome)", sourceLocation: sourceLocation)
  }

  // MARK: Attempts

  private func problems(_ trait: StepTrait<FlowStep.Repeatable>) -> [FlowProblem] {
    let flow = Flow().add("step", trait) { _ in }
    let group = Flow().forEach(in: 0..<2, StepTrait(trait.change)) { (_: Int, _) in }
    let found = flow.validate().filter { $0.severity == .error }
    #expect(group.validate().filter { $0.severity == .error }.map(\.code) == found.map(\.code))
    return found
  }

  @Test(arguments: [
    FlowRetryPolicy.attempts(0), .attempts(.min), .attempts(2, delay: .seconds(-1)),
    .exponential(attempts: 2, factor: 0.5), .exponential(attempts: 2, factor: .nan),
    .exponential(attempts: 2, factor: .infinity), .exponential(attempts: 2, limit: .seconds(-1)),
    .exponential(attempts: 2, first: .seconds(-1)), .exponential(attempts: 2, jitter: 1.5),
    .exponential(attempts: 2, jitter: .nan), .exponential(attempts: 2, jitter: -0.1),
  ]) func `a retry policy that makes no sense refuses the flow`(policy: FlowRetryPolicy) async {
    #expect(problems(.retry(policy)).map(\.code) == [.invalidRetry])
    await refuses(Flow().add("step", .retry(policy)) { _ in }, "invalidRetry at 1. step", remedy: "Give .retry")
  }

  @Test(arguments: [
    StepTrait<FlowStep.Repeatable>.timeout(.zero), .timeout(.seconds(-1), of: .allAttempts),
    .timeout(.seconds(1), abandoningAfter: .seconds(-1)),
  ]) func `a time limit that makes no sense refuses the flow`(trait: StepTrait<FlowStep.Repeatable>) {
    #expect(problems(trait).map(\.code) == [.invalidTimeout])
  }

  @Test func `a deadline or a budget that makes no sense refuses the flow`() async {
    let flows = [
      Flow("A").deadline(.zero), Flow("B").retryBudget(.retries(-1)), Flow("C").retryBudget(.share(1.5)),
      Flow("D").retryBudget(.share(.nan)), Flow("E").retryBudget(.share(0.5, atLeast: -1)),
    ]
    for flow in flows {
      flow.add("step") { _ in }
      let problems = flow.validate()
      #expect(problems.count == 1 && problems.allSatisfy { $0.severity == .error && !$0.remedy.isEmpty })
      let outcome = await flow.run()
      #expect((outcome.error as? FlowError)?.code == problems.first?.code && outcome.report.stepCount == 0)
    }
  }

  @Test func `what is wrong with the flow as a whole is said of no step`() async throws {
    for flow in [
      Flow("A").deadline(.zero), Flow("A").quietWarning(after: .zero), Flow("A").retryBudget(.retries(-1)),
    ] {
      let problem = try #require(flow.step().validate().first)
      #expect(problem.path == "the flow" && problem.description.hasPrefix("error: the flow: "))
      let error = try #require(await flow.run().error as? FlowError)
      #expect(error.flow == "A" && error.step == nil && error.path == nil)
      #expect(error.description.hasPrefix("flow \"A\": "))
    }
  }

  @Test func `good values are no problem`() {
    #expect(problems(.retry(.exponential(attempts: 1, first: .zero, factor: 1, limit: .zero, jitter: 1))).isEmpty)
    #expect(problems(.timeout(.seconds(1), abandoningAfter: .zero)).isEmpty)
    check("deadline and budget", Flow().deadline(.seconds(1)).retryBudget(.share(0, atLeast: 0)).step())
  }

  // MARK: Limits, tolerance, width

  @Test func `a limiter whose numbers make no sense is an error wherever it is used, and nothing starts`() async {
    let (none, never) = (FlowLimiter(atMost: 0), FlowLimiter(starts: 0, per: .seconds(-1)))
    let flow = Flow()
      .add("closure", .limited(by: none)) { _ in fail("ran") }
      .add(SuccessOp(), .limited(by: FlowLimiter(atMost: 1), never))
      .add(operation: SuccessOp(), .limited(by: none))
      .forEach(in: 0..<3, .limited(by: none)) { _, _ in fail("ran") }
      .add(flow: Flow("inner").add("within", .limited(by: none)) { _ in })
    let places = ["1. closure", "2. SuccessOp", "2. SuccessOp", "3. SuccessOp", "4. forEach", "5. inner > 1. within"]
    #expect(flow.faults == places.map { "error invalidLimit at " + $0 })
    let outcome = await flow.run()
    #expect(outcome.code == .invalidFlow && outcome.report.started == [])
    await refuses(
      Flow().add("closure", .limited(by: none)) { _ in fail("ran") }, "invalidLimit at 1. closure",
      remedy: "the limiter lets 0 run at once. Give it atMost: with 1 or more.")
  }

  @Test(arguments: [-1, Int.min]) func `a tolerance below 0 is an error, however the group is made`(count: Int) async {
    let flow = Flow().set(numbers, to: [1])
      .forEach(numbers, tolerating: .failures(count)) { _, _ in fail("ran") }
      .forEach(numbers, into: out, tolerating: .failures(count), run: DoubleOp.self, .named("operations"))
      .forEach(in: [1], tolerating: .failures(count)) { _, _ in fail("ran") }
    #expect(
      flow.faults == ["1. numbers", "2. operations", "3. forEach"].map { "error invalidTolerance at " + $0 })
    await refuses(
      Flow().forEach(in: [1], tolerating: .failures(count)) { _, _ in fail("ran") }, "invalidTolerance at 1. forEach",
      remedy: "Give the group .failures(_:) with 0 or more, .none or .all.")
  }

  @Test(arguments: [-0.1, 1.01, .infinity, -.infinity, .nan])
  func `a share that is not from 0 to 1 refuses the flow`(share: Double) async {
    await refuses(
      Flow().forEach(in: [1], tolerating: .share(share)) { _, _ in fail("ran") }, "invalidTolerance at 1. forEach",
      remedy: "Give the group .share(_:) with a number from 0 to 1: .share(0.05) is one of 20.")
  }

  @Test(arguments: [0, -1, Int.min]) func `a width below 1 is an error, however the group is made`(width: Int) async {
    let dispatcher = FlowArrayGroupDispatcher(
      inputKey: "numbers", outputKey: "out", maxConcurrentOperationCount: width)
    let array = Flow().set(numbers, to: []).addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher)
    await refuses(
      array, "invalidWidth at 1. FlowArrayGroupDispatcher",
      remedy: "the group's width is \(width). Give the group a width of at least 1.")
    let flow = array.forEach(numbers, width: width) { _, _ in }
      .forEach(in: [1], width: width) { _, _ in }
      .forEach(in: AsyncStream<Int> { $0.finish() }, width: width) { _, _ in }
    let places = ["1. FlowArrayGroupDispatcher", "2. numbers", "3. forEach", "4. forEach (2)"]
    #expect(flow.faults == places.map { "error invalidWidth at " + $0 })
    #expect(await flow.run().code == .invalidFlow)
  }

  // MARK: Empty flows, and groups without keys

  @Test func `a flow without steps is a warning, and succeeds`() async {
    let flow = Flow().set("a", to: 1)
    check("no step", flow, "warning emptyFlow at the flow")
    let outcome = await flow.run()
    #expect(outcome.isSuccess && outcome.report.stepCount == 0 && outcome.report["a"] == 1)
    check("an operation", Flow().add(SuccessOp()))
    check("a closure", Flow().add("step") { _ in })
    check("a group", Flow().forEach(in: [1]) { _, _ in })
    check("a flow", Flow().add(flow: Flow("inner").add(SuccessOp())))
  }

  private func group(_ type: any FlowOperationCreator.Type) -> Flow {
    Flow().set("in", to: [1])
      .addGrouped(operationCreator: type, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))
  }

  @Test func `a group's operation without primary keys is a warning that names them, and runs`() async throws {
    let flow = group(KeylessOp.self)
    check("no keys", flow, "warning missingPrimaryKeys at 1. FlowArrayGroupDispatcher")
    let problem = try #require(flow.validate().first)
    #expect(problem.problem == "KeylessOp declares no primaryInputParamKey and no primaryOutputParamKey.")
    #expect(problem.remedy.contains("@FlowInput"))
    let outcome = await flow.run()
    #expect(outcome.isSuccess && outcome.report[out] == [])
    #expect(group(ConsumerOp.self).validate().map(\.problem) == ["ConsumerOp declares no primaryOutputParamKey."])
    check("declared and primary", group(MixedOp.self))
    check("primary", group(DoubleOp.self))
    check(
      "a stream", Flow().forEach(in: [1], into: out, run: KeylessOp.self), "warning missingPrimaryKeys at 1. forEach")
    check("a stream that has them", Flow().forEach(in: [1], into: out, run: MixedOp.self))
    check(
      "a typed group", Flow().set(numbers, to: [1]).forEach(numbers, into: out, run: KeylessOp.self),
      "warning missingPrimaryKeys at 1. numbers")
    check("closures need none", Flow().forEach(in: [1]) { item, _ in item })
  }
}
