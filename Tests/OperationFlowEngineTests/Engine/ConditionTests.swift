import OperationFlowObservation
import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
}

/// Steps that run only if a condition is met.
@Suite(.watched) struct ConditionTests {
  private typealias Build = @Sendable (Flow, Bool) -> Void

  /// A step of each kind, with a condition.
  private static let kinds: [(name: String, add: Build)] = [
    ("closure", { flow, isMet in flow.add("closure", .when { _ in isMet }) { _ in } }),
    ("async", { flow, isMet in flow.add("async", .when { _ in isMet }) { _ in await Task.yield() } }),
    (
      "retried",
      { flow, isMet in
        flow.add("retried", .when { _ in isMet }, .retry(.attempts(3)), .timeout(.seconds(60))) { _ in }
      }
    ),
    ("object", { flow, isMet in flow.add(operation: BlockOp("object"), .when { _ in isMet }) }),
    ("SuccessOp", { flow, isMet in flow.add(SuccessOp(), .when { _ in isMet }) }),
    ("group", { flow, isMet in flow.forEach(in: 0..<3, .named("group"), .when { _ in isMet }) { _, _ in } }),
    (
      "cases",
      { flow, isMet in
        flow.cases(on: "target", .named("cases"), .when { _ in isMet }) { $0.otherwise { $0.add("in") { _ in } } }
      }
    ),
    ("inner", { flow, isMet in flow.add(flow: Flow("inner").add("in") { _ in }, .when { _ in isMet }) }),
    (
      "both",
      { flow, isMet in
        flow.parallel("both", .when { _ in isMet }) {
          $0.branch("a") { $0.add("in") { _ in } }.branch("b") { $0.step() }
        }
      }
    ),
  ]

  @Test(arguments: kinds.indices) func `a step of each kind is skipped as a whole if its condition is not met`(
    kind: Int
  ) async {
    let (name, add) = Self.kinds[kind]
    let flow = Flow().add("before") { _ in }
    add(flow, false)
    let outcome = await flow.add("behind") { _ in }.run()
    #expect(outcome.isSuccess && outcome.report.started == ["[before]", "[behind]"])
    #expect(outcome.report.lines.contains("[\(name)] skipped: its condition is not met."))
    let steps = outcome.report.steps.dropFirst().dropLast()
    #expect(!steps.isEmpty && steps.allSatisfy { $0.end == .skipped && $0.duration == nil && $0.attempts == 0 })
    #expect(outcome.report.stepCount == 2)
    #expect(RecordCheck(outcome).complaint == nil)
  }

  @Test(arguments: kinds.indices) func `it runs as without one if the condition is met`(kind: Int) async {
    let flow = Flow()
    Self.kinds[kind].add(flow, true)
    let outcome = await flow.add("behind") { _ in }.run()
    #expect(outcome.isSuccess && outcome.report.steps.allSatisfy { $0.end == .succeeded })
    #expect(!outcome.report.summary.contains("skipped") && RecordCheck(outcome).complaint == nil)
  }

  @Test(arguments: kinds.indices) func `all of it is done when it is skipped, as the progress counts it`(
    kind: Int
  ) async {
    let (isAtGate, gate) = (Signal(), Signal())
    let flow = Flow()
    Self.kinds[kind].add(flow, false)
    let run = flow.add("wait") { _ in await isAtGate.fire(thenAwait: gate) }.start()
    let progress = run.progress
    await isAtGate.wait()
    #expect(abs(progress.fractionCompleted - 0.5) < 0.001)
    gate.fire()
    _ = await run.outcome
    #expect(progress.fractionCompleted == 1)
  }

  @Test func `a condition is looked at once, before the start and the first attempt`() async {
    let (looks, attempts) = (Tally(), Tally())
    let look: @Sendable (DataBucket) -> Bool = { _ in
      looks.add()
      return true
    }
    let outcome = await Flow().add("retried", .when { look($0) }, .retry(.attempts(3))) { _ in
      attempts.add()
      if attempts.count < 3 { throw TestError() }
    }.run()
    #expect(outcome.isSuccess && looks.count == 1 && attempts.count == 3)
  }

  @Test func `a condition that throws fails the step with that error, and the step never starts`() async {
    let outcome = await Flow().add("x", .when { _ in throw TestError() }) { _ in }.add("behind") { _ in }.run()
    #expect(outcome.error as? TestError == TestError() && outcome.failure?.path == "1. x")
    #expect(outcome.report.started.isEmpty && outcome.report.steps.map(\.end) == [.failed, .neverRan])
    #expect(RecordCheck(outcome).complaint == nil)
    let missing = await Flow().add("x", .when { try $0.require(.count) > 3 }) { _ in }.run()
    #expect(missing.code == .missingData && (missing.error as? FlowError)?.path == "1. x")
    let cancelled = await Flow().add("x", .when { _ in throw CancellationError() }) { _ in }.run()
    #expect(cancelled.isCancelled)
  }

  @Test func `what steps before have written decides`() async {
    let flow = Flow()
      .add("count", .writes(.count)) { $0[.count] = 4 }
      .add("more", .when(.count) { $0 > 3 }) { _ in }
      .add("less", .when(.count) { $0 < 3 }) { _ in }
      .add("four", .when(.count, is: 4)) { _ in }
      .add("web", .when(.target, is: "web")) { _ in }
      .add("premium", .when(.isPremium)) { _ in }
      .add("any", .when { $0[.count] != nil }) { _ in }
    let report = await flow.run(with: ["target": 7, "isPremium": false]).report
    #expect(report.started == ["[count]", "[more]", "[four]", "[any]"])
    let skipped = report.lines.filter { $0.contains("skipped") }
    let unmet = "skipped: its condition is not met. "
    #expect(
      skipped == [
        "[less] \(unmet)<count> is <4>.",
        "[web] \(unmet)<target> is <7> with type <Int>, but NOT type <String>.",
        "[premium] \(unmet)<isPremium> is <false>.",
      ])
  }

  @Test func `a missing key is not met, and the value of a sensitive one is hidden`() async {
    let secret = FlowKey<Int>("secret", sensitive: true)
    let report = await Flow().set(secret, to: 4711)
      .add("a", .when(.isPremium)) { _ in }.add("b", .when(secret, is: 1)) { _ in }.run().report
    let unmet = "skipped: its condition is not met. "
    #expect(report.lines.contains("[a] \(unmet)<isPremium> is missing."))
    #expect(report.lines.contains("[b] \(unmet)<secret> is <redacted>.") && !report.summary.contains("4711"))
    // A name that turns out to be sensitive later is hidden in earlier lines as well.
    let late = await Flow().set(.count, to: 4711).add("a", .when(.count, is: 1)) { _ in }
      .add("mark") { _ = $0[FlowKey<Int>("count", sensitive: true)] }.run().report
    #expect(late.lines.contains("[a] \(unmet)<count> is <redacted>."))
  }

  @Test func `of several conditions all have to be met, and none is looked at behind one that is not`() async {
    let flow = Flow().set(.count, to: 1)
      .add("both", .when(.count, is: 1), .when { _ in true }) { _ in }
      .add("one", .when(.count, is: 2), .when { _ in throw TestError() }) { _ in }
      .add("other", .when(.count, is: 1), .when { _ in false }) { _ in }
    #expect(await flow.run().report.started == ["[both]"])
  }

  @Test func `the event says so, with the step's path`() async throws {
    let report = await Flow().add(flow: Flow("inner").add("x", .when(.isPremium)) { _ in }).run().report
    let event = try #require(report.events.first { if case .skipped = $0.kind { true } else { false } })
    #expect(event.kind == .skipped(held: "<isPremium> is missing.") && event.path == "1. inner > 1. x")
  }

  @Test func `an operation object that is skipped is ended, and whatever waits for it goes on`() async {
    let (skipped, waiting) = (BlockOp("skipped"), BlockOp("waiting"))
    let inner = BlockOp("inner")
    waiting.addDependency(skipped)
    let outcome = await Flow().add(operation: skipped, .when { _ in false })
      .add(flow: Flow("flow").add(operation: inner), .when { _ in false })
      .add(operation: waiting).run()
    #expect(outcome.isSuccess && skipped.isFinished && inner.isFinished && waiting.isFinished)
    #expect(outcome.report.started == ["[waiting]"])
  }

  @Test func `conditions are not looked at while the run is paused, or once it stops`() async {
    let (isRunning, gate, looks) = (Signal(), Signal(), Tally())
    let flow = Flow()
      .add("wait") { _ in await isRunning.fire(thenAwait: gate) }
      .add(
        "x",
        .when { _ in
          looks.add()
          return true
        }
      ) { _ in }
    let run = flow.start()
    await isRunning.wait()
    run.pause()
    gate.fire()
    for await event in run.events { if case .finished = event.kind { break } }
    #expect(looks.count == 0)
    run.resume()
    #expect(await run.outcome.isSuccess && looks.count == 1)
  }

  @Test func `a run that a condition cancels ends as cancelled, and its step never ran`() async {
    let flow = Flow()
    flow.add(
      "x",
      .when { [weak flow] _ in
        flow?.cancel()
        return false
      }
    ) { _ in }
    let outcome = await flow.run()
    #expect(outcome.isCancelled && outcome.report.started.isEmpty)
    #expect(!outcome.report.summary.contains("skipped") && RecordCheck(outcome).complaint == nil)
  }

  @Test func `a step with a condition may begin a branch in a chain`() async {
    let flow = Flow().setDataBucket(dataBucket: ["target": "A"])
      .add(operation: BlockOp("a"), .when { _ in false }, flowCase: FlowCase(key: "target", value: "A"))
      .add(operation: BlockOp("a2"))
      .add(operation: BlockOp("b"), flowCase: .otherwise)
      .combine()
      .add(operation: BlockOp("c"))
    #expect(await flow.run().report.started == ["[a2]", "[c]"])
  }

  @Test func `ten thousand skipped steps are no trouble`() async {
    let flow = Flow()
    for _ in 0..<10_000 { flow.add("x", .when { _ in false }) { _ in } }
    let outcome = await flow.recording(.none).run()
    #expect(outcome.isSuccess && outcome.report.stepCount == 0)
  }
}
