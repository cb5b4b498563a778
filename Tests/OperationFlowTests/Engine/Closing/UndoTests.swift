import OperationFlow
import OperationFlowTesting
import Testing

@Suite(.watched) struct UndoTests {
  private let undone = Journal<String>()

  private func undo<Work: FlowStep.LeafWork>(_ name: String) -> StepTrait<Work> {
    .undo { [undone] _ in undone.append(name) }
  }

  private var names: [String] { undone.entries }

  @Test func `what has succeeded is undone in reverse order, and the outcome keeps its error`() async {
    let flow = Flow("Trip")
      .add("flight", undo("flight")) { _ in }
      .add("hotel", undo("hotel")) { _ in }
      .add("visit") { _ in }
      .add("car", undo("car")) { _ in throw TestError() }
      .add("later", undo("later")) { _ in }
    let outcome = await flow.run()
    #expect(outcome.error is TestError && outcome.failure?.name == "[car]" && names == ["hotel", "flight"])
    #expect(outcome.report.undos.map(\.name) == ["[hotel]", "[flight]"])
    #expect(outcome.report.undos.map(\.path) == ["2. hotel", "1. flight"])
    #expect(outcome.report.undos.allSatisfy { $0.error == nil && $0.attempts == 1 && $0.item == nil })
    #expect(
      outcome.report.lines.suffix(5).dropLast() == [
        "[hotel] Undo WillStart", "[hotel] Undo DidFinish: successfully", "[flight] Undo WillStart",
        "[flight] Undo DidFinish: successfully",
      ])
    #expect(outcome.report.summary.contains("failed in [car]: TestError(test), 2 undone\n"))
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded, .succeeded, .failed, .neverRan])
  }

  @Test(arguments: [false, true])
  func `a run that is cancelled, also while it is paused, is undone, even what succeeds although it was cancelled`(
    isPaused: Bool
  ) async {
    let isRunning = Signal()
    let run = Flow().add("flight", undo("flight")) { _ in }
      .add("hotel", undo("hotel")) { _ in await isRunning.fireUntilCancelled() }
      .add("car") { _ in }.start()
    await isRunning.wait()
    if isPaused { run.pause() }
    run.cancel()
    #expect(await run.outcome.isCancelled && names == ["hotel", "flight"])
  }

  @Test func `cancelling doesn't reach an undo`() async {
    let (isUndoing, mayEnd) = (Signal(), Signal())
    let run = Flow()
      .add(
        "flight",
        .undo { context in
          await isUndoing.fire(thenAwait: mayEnd)
          #expect(!context.isCancelled && context.ending?.error is TestError)
        }
      ) { _ in }
      .add("car") { _ in throw TestError() }
      .start()
    await isUndoing.wait()
    #expect(run.waitingFor.map { "\($0.source)" } == ["[flight]"])
    run.cancel()
    run.pause()
    mayEnd.fire()
    let outcome = await run.outcome
    #expect(outcome.error is TestError && outcome.report.undos.map { $0.error == nil } == [true])
  }

  @Test func `an undo that fails is reported, and the others still run`() async {
    let flow = Flow()
      .add("flight", undo("flight")) { _ in }
      .add("hotel", .undo { _ in throw TestError(name: "full") }) { _ in }
      .add("train", .undo { _ in throw CancellationError() }) { _ in }
      .add("car", .undo { _ in }) { _ in }
      .add("fails") { _ in throw TestError(name: "first") }
    let outcome = await flow.run()
    #expect(outcome.error as? TestError == TestError(name: "first") && names == ["flight"])
    let undos = outcome.report.undos
    #expect(undos.map(\.name) == ["[car]", "[train]", "[hotel]", "[flight]"])
    #expect(undos.map { $0.error == nil } == [true, false, false, true])
    #expect(
      (undos[1].error as? FlowError)?.code == .cancelled && undos[2].error as? TestError == TestError(name: "full"))
    #expect(outcome.report.summary.contains(", 2 could not be undone, 2 undone\n"))
    #expect("\(undos[2])" == "[hotel] could not be undone: TestError(full)")
  }

  @Test func `an undo has its own retry and its own time, which the budget doesn't count`() async {
    let clock = ManualClock()
    let flow = Flow().retryBudget(.retries(0))
      .add(
        "flight",
        .undo(retry: .attempts(3, delay: .seconds(4))) { if $0.attempt < 3 { throw TestError() } }
      ) { _ in }
      .add("hotel", .undo(retry: .attempts(2), timeout: .seconds(5)) { _ in try await clock.sleep(for: .seconds(99)) })
    {
      _ in
    }
      .add("car") { _ in throw TestError() }
    let outcome = await flow.run(on: clock)
    #expect(outcome.report.undos.map(\.attempts) == [2, 3])
    #expect((outcome.report.undos[0].error as? FlowError)?.code == .timedOut && outcome.report.undos[1].error == nil)
    #expect(clock.now.offset == .seconds(18))
  }

  @Test func `items are undone with what they were and what they made`() async throws {
    let key = FlowKey<[String]>("links")
    let flow = Flow()
      .forEach(
        in: 0..<5, into: key, width: 1,
        .undo { [undone] context in
          let (item, output) = (try context.item(as: Int.self), try context.output(as: String.self))
          #expect(context.index == item)
          undone.append("\(item) \(output)")
        }
      ) { (item: Int, _) throws -> String in
        if item == 3 { throw TestError() }
        return "link\(item)"
      }
    let outcome = await flow.run()
    #expect(outcome.failure?.item == 3 && names == ["2 link2", "1 link1", "0 link0"])
    #expect(outcome.report.undos.map(\.item) == [2, 1, 0])
  }

  @Test func `items of a group that succeeded are undone if a later step fails, also those of a stream`() async throws {
    let flow = Flow()
      .forEach(
        in: AsyncStream { continuation in
          for item in 0..<3 { continuation.yield(item) }
          continuation.finish()
        }, width: 1, tolerating: .all,
        .undo { [undone] context in
          let item: Int = try context.item()
          undone.append("\(item)")
          #expect(throws: FlowError.self) { try context.output(as: String.self) }
          #expect(throws: FlowError.self) { try context.item(as: String.self) }
        }
      ) { (item: Int, _) in
        if item == 1 { throw TestError(name: "tolerated") }
      }
      .add("fails") { context in
        #expect(throws: FlowError.self) { try context.item(as: Int.self) }
        throw TestError()
      }
    let outcome = await flow.run()
    #expect(outcome.error is TestError && names == ["2", "0"] && outcome.report.undos.allSatisfy { $0.error == nil })
  }

  @Test func `what was abandoned is not undone`() async {
    let clock = ManualClock()
    let mayEnd = Signal()
    let flow = Flow()
      .add("flight", .timeout(.seconds(1), abandoningAfter: .seconds(1)), undo("flight")) { _ in
        await clock.withoutHoldingTime { await mayEnd.wait() }
      }
    let outcome = await flow.run(on: clock)
    mayEnd.fire()
    #expect((outcome.error as? FlowError)?.code == .timedOut && names.isEmpty)
  }

  @Test func `an operation undoes, with the item under its primary input key`() async throws {
    let links = FlowKey<[String]>("links")
    let attempts = Tally()
    let isOdd: @Sendable (Tally) -> Bool = { tally in
      tally.add()
      return tally.count % 2 == 1
    }
    let flow = Flow().set("room", to: 7)
      .add("hotel", .undo(operation: NoticedUndo("room"))) { _ in }
      .add(operation: BlockOp("object") { $0.finishSuccessfully() }, .undo(operation: NoticedUndo("room")))
      .forEach(
        in: [4, 5], into: links, width: 1,
        .undo(retry: .attempts(2), operation: NoticedUndo("input", fails: isOdd(attempts)))
      ) { (item: Int, _) in "link\(item)" }
      .add("fails") { _ in throw TestError() }
    let outcome = await flow.run()
    #expect(outcome.report.undos.map(\.attempts) == [2, 2, 1, 1])
    #expect(outcome.report.undos.allSatisfy { $0.error == nil })
    #expect(
      outcome.report.lines.filter { $0.contains("undoes") } == [
        "[forEach #2] undoes 5 link5", "[forEach #1] undoes 4 link4", "[object] undoes 7",
        "[hotel] undoes 7",
      ])
  }

  @Test func `steps of flows, cases and parallel branches are undone in the reverse order of their ends`() async {
    let isHanging = Signal()
    let flow = Flow().set("target", to: "web")
      .add(flow: Flow("inner").add("login", undo("login")) { _ in })
      .cases(on: "target") { $0.when("web") { $0.add("resize", undo("resize")) { _ in } } }
      .parallel {
        $0.branch("a") {
          $0.add("scan", undo("scan")) { _ in }
            .add("hang", undo("hang")) { _ in await isHanging.fireUntilCancelled() }
        }
        $0.branch("b") {
          $0.add("fail", undo("fail")) { _ in
            await isHanging.wait()
            throw TestError()
          }
        }
      }
    #expect(await !flow.run().isSuccess)
    // Work that is cancelled and still succeeds has to be undone, too.
    #expect(names == ["hang", "scan", "resize", "login"])
  }

  @Test func `twenty thousand items are undone, each once`() async {
    let counts = Locked<[Int: Int]>([:])
    let flow = Flow()
      .forEach(
        in: 0..<20_000, width: 8,
        .undo { context in
          let index = context.index ?? -1
          counts.withLock { $0[index, default: 0] += 1 }
        }
      ) { (_: Int, _) in }
      .add("fails") { _ in throw TestError() }
    let outcome = await flow.run()
    let all = counts.withLock { $0 }
    #expect(all.count == 20_000 && all.values.allSatisfy { $0 == 1 } && outcome.report.undos.count == 20_000)
  }

  @Test func `bad numbers are found before the run`() {
    let flow = Flow()
      .add("flight", .undo(retry: .attempts(0)) { _ in }) { _ in }
      .add("hotel", .undo(timeout: .zero) { _ in }) { _ in }
    #expect(flow.validate().map(\.code) == [.invalidRetry, .invalidTimeout])
  }
}

/// Reports the input that it undoes.
private final class NoticedUndo: FlowOperation, @unchecked Sendable {
  // Invariant: constant.
  private let input: String
  private let fails: Bool

  init(_ input: String, fails: Bool = false) {
    self.input = input
    self.fails = fails
    super.init()
  }

  override var primaryInputParamKey: String { input }

  override var primaryOutputParamKey: String { "output" }

  override func mainLogic() {
    guard runEnding?.error is TestError, let value: Int = getData(name: input) else {
      return finishWithError(error: TestError(name: "nothing"))
    }
    if fails { return finishWithError(error: TestError(name: "again")) }
    let output: String? = getData(name: "output", isOptional: true)
    log(message: "undoes \(value)" + (output.map { " \($0)" } ?? ""))
    finishSuccessfully()
  }
}
