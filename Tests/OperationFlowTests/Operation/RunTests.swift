import OperationFlow
import TestSupport
import Testing

/// Does its work in `run()`.
private final class RunOp: FlowOperation, @unchecked Sendable {
  private let body: @Sendable (RunOp) async throws -> Void
  init(_ body: @escaping @Sendable (RunOp) async throws -> Void) { self.body = body }
  override func run() async throws { try await body(self) }
}

/// Overrides both, and calls `super` unless it finishes by itself.
private final class BothOp: FlowOperation, @unchecked Sendable {
  private let finishes: Bool
  private let ran: Journal<String>
  init(_ ran: Journal<String>, finishes: Bool) {
    self.ran = ran
    self.finishes = finishes
  }
  override func mainLogic() {
    ran.append("mainLogic")
    super.mainLogic()
    if finishes { finishSuccessfully() }
  }
  override func run() async throws { ran.append("run") }
}

@Suite(.watched) struct RunTests {
  @Test func `returning finishes the operation, and the next step starts after that`() async {
    let trail = Journal<Int>()
    let outcome = await Flow()
      .add(
        RunOp { operation in
          trail.append(1)
          await Task.yield()
          operation.setData(name: "a", value: 1)
          trail.append(2)
        }
      )
      .add(RunOp { _ in trail.append(3) })
      .run()
    #expect(outcome.isSuccess && outcome.report["a"] == 1)
    #expect(trail.entries == [1, 2, 3])
    #expect(outcome.report.lines.filter { $0.contains("[RunOp]") }.count == 4)
  }

  @Test func `cancelling an operation alone cancels its task`() async {
    let (hasBegun, end) = (Signal(), Locked<FlowOperationState?>(nil))
    let isOver = Signal()
    let operation = RunOp { _ in
      await hasBegun.fireUntilCancelled()
      throw TestError()
    }
    operation.completionBlock = { [weak operation] in
      end.withLock { $0 = operation?.state }
      isOver.fire()
    }
    operation.start()
    await hasBegun.wait()
    #expect(operation.isExecuting)
    operation.cancel()
    await isOver.wait()
    // An error of a cancelled task counts as its cancellation, whatever its type is.
    guard case .finished(.withError(let error as FlowError))? = end.withLock({ $0 }) else { return fail("no end") }
    #expect(error.code == .cancelled)
  }

  @Test func `a run that is cancelled and returns has succeeded, in a flow that is cancelled`() async {
    let hasBegun = Signal()
    let run = Flow().add(
      RunOp { _ in await hasBegun.fireUntilCancelled() }
    ).start()
    let outcome = await run.outcome(cancelledAfter: hasBegun)
    #expect(outcome.isCancelled && outcome.report.lines.contains("[RunOp] DidFinish: successfully"))
  }

  @Test func `cancelling between the start and the task's making is not lost`() async {
    for _ in 0..<200 {
      let run = Flow().add(RunOp { _ in await untilCancelled() }).start()
      run.cancel()
      let outcome = await run.outcome
      #expect(outcome.isCancelled)
    }
  }

  @Test func `mainLogic that calls super goes on in run`() async {
    let ran = Journal<String>()
    #expect(await Flow().add(BothOp(ran, finishes: false)).run().isSuccess)
    #expect(ran.entries == ["mainLogic", "run"])
  }

  @Test func `mainLogic that calls super and finishes itself has ended, and does not run`() async {
    let ran = Journal<String>()
    #expect(await Flow().add(BothOp(ran, finishes: true)).run().isSuccess)
    #expect(ran.entries == ["mainLogic"])
  }

  @Test func `a finish that is called in run decides the end, which comes when run returns`() async {
    let trail = Journal<String>()
    let outcome = await Flow()
      .add(
        RunOp { operation in
          operation.finishWithError(error: TestError())
          await Task.yield()
          trail.append("returned")
        }
      )
      .setDidFinishBlock { _ in }
      .run()
    #expect(outcome.error as? TestError == TestError())
    #expect(trail.entries == ["returned"])
  }

  @Test func `an error that run throws after a success changes nothing, and is in the record`() async {
    let outcome = await Flow().add(
      RunOp { operation in
        operation.finishSuccessfully()
        throw TestError()
      }
    ).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report.lines.contains("[RunOp] warning: finished again: ignored (withError: TestError(test))"))
  }

  @Test func `a finish from a task that run has left behind changes nothing`() async {
    let (late, isDone) = (Signal(), Signal())
    let outcome = await Flow().add(
      RunOp { operation in
        Task {
          await late.wait()
          operation.finishWithError(error: TestError())
          isDone.fire()
        }
      }
    ).run()
    #expect(outcome.isSuccess)
    await late.fire(thenAwait: isDone)
  }
}
