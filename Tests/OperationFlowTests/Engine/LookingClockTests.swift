import OperationFlow
import TestSupport
import Testing

/// A clock is users' code, which may inspect the run, so the library reads it outside all locks.
@Suite(.watched) struct LookingClockTests {
  private static let numbers = FlowKey<[Int]>("numbers")

  /// An item's operation that writes values of its own.
  private final class WritingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    @FlowInput("number") var number: Int
    @FlowOutput("double") var double: Int?

    static func create() -> FlowOperation { WritingOp() }

    override func run() async throws {
      setData(name: "note", value: number)
      double = 2 * number
      removeData(name: "note")
    }
  }

  /// Runs a flow on the clock, which inspects the run from its first step on.
  private func run(_ flow: Flow, _ body: (FlowRun) async -> Void = { _ in }) async -> FlowOutcome {
    let (clock, mayBegin) = (LookingClock(), Signal())
    let run = Flow("Looked at").clock(clock).add("begin") { _ in await mayBegin.wait() }.add(flow: flow).start()
    clock.watch(run)
    mayBegin.fire()
    await body(run)
    let outcome = await run.outcome
    #expect(clock.lookCount > 0)
    clock.stop()
    return outcome
  }

  @Test func `it may look at a run that is cancelled`() async {
    let began = Signal()
    let outcome = await run(
      Flow("Cancelled").add("wait", .undo { _ in }) { _ in
        began.fire()
        await untilCancelled()
        throw CancellationError()
      }
    ) { run in
      await began.wait()
      run.cancel()
    }
    guard case .cancelled = outcome else { return fail("\(outcome)") }
  }

  @Test func `it may look at a run that is paused and resumed`() async {
    let (began, mayEnd) = (Signal(), Signal())
    let outcome = await run(
      Flow("Paused").add("wait") { _ in await began.fire(thenAwait: mayEnd) }.add("next") { _ in }
    ) { run in
      await began.wait()
      run.pause()
      #expect(run.isPaused)
      mayEnd.fire()
      run.resume()
    }
    #expect(outcome.isSuccess)
  }

  @Test func `it may look at a run whose attempts are timed, delayed and recover`() async {
    let outcome = await run(
      Flow("Timed")
        .add("slow", .timeout(.seconds(1)), .retry(.attempts(3, delay: .seconds(5))), .recover { _, _ in }) { _ in
          await untilCancelled()
        }
        .add("abandoned", .timeout(.seconds(1), abandoningAfter: .seconds(1)), .recover { _, _ in }) { _ in
          await untilCancelled()
        })
    #expect(outcome.isSuccess && outcome.report.recoveries.count == 2)
  }

  @Test func `it may look at a run while its items write, log and report`() async {
    let outcome = await run(
      Flow("Items").set(Self.numbers, to: Array(0..<20))
        .forEach(Self.numbers, into: FlowKey<[Int]>("doubles"), width: 4, run: WritingOp.self)
        .forEach(Self.numbers, width: 4, .results(in: FlowKey<[FlowItemResult<Int>]>("results"))) { number, context in
          context.log("\(number)")
          context[FlowKey<Int>("last")] = number
          context.reportProgress(0.5)
          return number
        })
    #expect(outcome.isSuccess, "\(outcome)")
  }

  @Test func `it may look at a run whose limiter it serves`() async {
    let (clock, began) = (LookingClock(), Signal())
    let limiter = FlowLimiter(atMost: 2, starts: 2, per: .seconds(1), clock: clock)
    let run = Flow("Limited").clock(clock).add("begin") { _ in await began.wait() }
      .forEach(in: 0..<10, width: 10, .limited(by: limiter)) { _, _ in await Task.yield() }.start()
    clock.watch(run)
    began.fire()
    try? await limiter.withPermit {}
    #expect(await run.outcome.isSuccess && clock.lookCount > 10)
    clock.stop()
  }

  @Test func `it may look at a run that has a deadline, and is warned about in quiet`() async {
    let (clock, began) = (LookingClock(), Signal())
    let run = Flow("Late").clock(clock).deadline(.seconds(60)).quietWarning(after: .seconds(10))
      .add("wait") { _ in
        await began.wait()
        await untilCancelled()
      }.start()
    clock.watch(run)
    began.fire()
    let outcome = await run.outcome
    #expect((outcome.error as? FlowError)?.code == .deadlineExceeded)
    clock.stop()
  }
}
