import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// Failures of steps, items and attempts reach log handlers, each once.
@Suite(.watched) struct FailureLineTests {
  private let missing = FlowKey<[Int]>("numbers")

  /// Checks a row of a table: runs a flow, and expects all lines that its handler receives.
  ///
  /// A line is such as `error at 2. fails, attempt 1: [fails] failed: TestError(test)`.
  private func check(
    _ promise: Comment, _ flow: Flow, from level: FlowLogLevel = .info, on clock: ManualClock? = nil,
    _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let lines = Journal<FlowLogLine>()
    flow.sendLog(to: .closure { lines.append($0) }, from: level)
    if let clock { _ = await flow.run(on: clock) } else { _ = await flow.run() }
    let texts = lines.entries.map { line in
      let place = line.path.map { "\($0)" } ?? "no step"
      return "\(line.level) at \(place), attempt \(line.attempt): \(line.source) \(line.message)"
    }
    #expect(texts == expected, promise, sourceLocation: sourceLocation)
    for line in lines.entries {
      #expect(line.error.map { line.message.hasSuffix($0) } == true, promise, sourceLocation: sourceLocation)
    }
  }

  @Test func `what fails is one line, with its path and its error, and what contains it is none`() async {
    let fails = { @Sendable (_: FlowContext) in throw TestError() }
    await check(
      "a step", Flow("Mine").add("works") { _ in }.add("fails", run: fails),
      "error at 2. fails, attempt 1: [fails] failed: TestError(test)")
    await check(
      "a step of a flow in a flow", Flow("Outer").add(flow: Flow("Inner").add("fails", run: fails)),
      "error at 1. Inner > 1. fails, attempt 1: [fails] failed: TestError(test)")
    let started = Signal()
    let branches = Flow().addParallel(
      "both",
      [
        "fails": Flow().add("fails") { _ in
          await started.wait()
          throw TestError()
        },
        "goes on": Flow().add(flow: Flow("Inner").add("waits") { _ in await started.fireUntilCancelled() }),
      ])
    await check(
      "a step of a branch", branches,
      "error at 1. both > fails > 1. fails, attempt 1: [fails] failed: TestError(test)")
    let numbers = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: TestError())
    }
    await check(
      "a sequence", Flow().forEach(in: numbers) { _, _ in },
      "error at 1. forEach, attempt 1: [forEach] failed: TestError(test)")
    await check(
      "a group without items to find", Flow().add("some step") { _ in }.forEach(missing) { _, _ in },
      "error at 2. numbers, attempt 1: [numbers] failed: can't find <numbers> in data bucket")
    await check(
      "an operation that lacks data", Flow().step("first").step("reads") { let _: String? = $0.getData(name: "email") },
      "error at 2. BlockOp, attempt 1: [reads] failed: can't find <email> in data bucket")
    await check(
      "a value that is hidden",
      Flow().setDataBucket(dataBucket: ["password": "s3cret"])
        .add("hides nothing") { _ in }
        .add("reads") { context in _ = try context.require(FlowKey<Int>("password", sensitive: true)) },
      from: .debug,
      "error at 2. reads, attempt 1: [reads] failed: <password> in data bucket is <redacted> with type <String>, "
        + "but NOT type <Int>.")
  }

  @Test(arguments: [FlowTolerance.none, .failures(1), .all])
  func `each item that fails is one line, tolerated or not`(tolerance: FlowTolerance) async {
    let flow = Flow().forEach(in: 0..<4, width: 1, tolerating: tolerance) { item, _ in
      if item > 1 { throw TestError(name: "\(item)") }
    }
    let first = "error at 1. forEach, attempt 1: [forEach #3] failed: TestError(2)"
    let second = "error at 1. forEach, attempt 1: [forEach #4] failed: TestError(3)"
    if tolerance == .none { await check("one", flow, first) } else { await check("both", flow, first, second) }
  }

  @Test func `an attempt that another one follows is a warning, and the last failure an error`() async {
    let broken = { Flow().add("broken", .retry(.attempts(3))) { throw TestError(name: "\($0.attempt)") } }
    let last = "error at 1. broken, attempt 3: [broken] failed: TestError(3)"
    await check(
      "all", broken(), "warning at 1. broken, attempt 1: [broken] attempt 1 failed, trying again: TestError(1)",
      "warning at 1. broken, attempt 2: [broken] attempt 2 failed, trying again: TestError(2)", last)
    await check("from errors on", broken(), from: .error, last)
    let flaky = Flow().add("flaky", .retry(.attempts(3))) { if $0.attempt < 3 { throw TestError() } }
    await check("attempts that end well", flaky, from: .error)
    let clock = ManualClock()
    let waits = Flow().add("waits", .retry(.attempts(2)), .timeout(.seconds(5))) { _ in
      await clock.withoutHoldingTime { await untilCancelled() }
    }
    let tooLong =
      "flow \"Flow\", step [waits]: it took longer than 5.0 seconds. Allow more time, or find out what it waits for."
    await check(
      "an attempt that takes too long", waits, on: clock,
      "warning at 1. waits, attempt 1: [waits] attempt 1 failed, trying again: \(tooLong)",
      "error at 1. waits, attempt 2: [waits] failed: \(tooLong)")
    let cancelled = Flow()
    cancelled.observe { [weak cancelled] in if $0.kind == .started { cancelled?.cancel() } }
      .add("waits", .retry(.attempts(9))) { _ in
        await untilCancelled()
        throw CancellationError()
      }
    await check("one of a run that is cancelled", cancelled)
  }

  @Test func `a flow that is refused is one line of the flow`() async throws {
    let flow = Flow("Mine").add("reads", .reads(FlowKey<String>("email")), .writesNothing) { _ in }
    let problem = try #require(flow.validate().first)
    await check("refused", flow, "error at no step, attempt 1: [Mine] failed: \(problem.problem)")
  }
}
