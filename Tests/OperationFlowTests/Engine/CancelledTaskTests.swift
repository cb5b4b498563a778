import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// Runs of tasks that are cancelled before they call `run()`.
@Suite(.watched) struct CancelledTaskTests {
  private static let kinds = ["closures", "operations", "group", "cases", "parallel", "flow", "sequence", "undo"]

  /// Returns a flow with one kind of work, which counts when it begins.
  private func flow(_ kind: String, counting begun: Tally) -> Flow {
    let flow = Flow("Charge").set(FlowKey<String>("target"), to: "a").always { $0.add("clean up") { _ in begun.add() } }
    switch kind {
    case "closures": return flow.add("charge") { _ in begun.add() }.add("mail") { _ async in begun.add() }
    case "operations": return flow.add(operation: CountingOp(begun)).add(CountingOp(begun))
    case "group": return flow.forEach(in: 0..<9, width: 3) { _, _ async in begun.add() }
    case "cases":
      return flow.cases(on: FlowKey<String>("target")) { $0.when("a") { $0.add("one") { _ in begun.add() } } }
    case "parallel":
      return flow.parallel {
        $0.branch("one") { $0.add("one") { _ in begun.add() } }
        $0.branch("two") { $0.add("two") { _ async in begun.add() } }
      }
    case "flow": return flow.add(flow: Flow("Inner").add("one") { _ in begun.add() })
    case "sequence":
      let numbers = AsyncStream(unfolding: {
        begun.add()
        return Int?.none
      })
      return flow.forEach(in: numbers) { _, _ in begun.add() }
    default:
      let condition: @Sendable (DataBucket) -> Bool = { _ in
        begun.add()
        return true
      }
      return flow.add("charge", .when(condition), .undo { _ in begun.add() }) { _ in begun.add() }
    }
  }

  @Test(arguments: kinds) func `nothing begins, what always runs included, and the outcome is cancelled`(
    kind: String
  ) async {
    for _ in 0..<50 {
      let (begun, finishes) = (Tally(), Tally())
      let flow = flow(kind, counting: begun).setDidFinishBlock { _ in finishes.add() }
      let outcomes = await inCancelledTask { () -> [FlowOutcome] in
        let clock = ManualClock()
        return [await flow.run(), await flow.run { $0["more"] = 1 }, await flow.run(on: clock)]
      }
      // The operation object ended with the first run.
      for outcome in kind == "operations" ? outcomes.prefix(1) : outcomes[...] {
        #expect(outcome.isCancelled && outcome.report.stepCount == 0)
        #expect(outcome.report.cancellation == .task)
      }
      await finishes.reach(1)
      #expect(begun.count == 0)
    }
  }

  @Test func `the block for the start isn't called, and operations end as cancelled`() async {
    let operation = BlockOp { _ in fail("ran") }
    let outcome = await inCancelledTask {
      await Flow().add(operation: operation).setWillStartBlock { _ in fail("called") }.run()
    }
    #expect(outcome.isCancelled && operation.isFinished && operation.isCancelled)
    await MainActor.run {}
  }

  @Test func `a flow that is refused is refused all the same`() async {
    let outcome = await inCancelledTask {
      await Flow().add("one", .reads(FlowKey<String>("missing"))) { _ in fail("ran") }.run()
    }
    #expect(!outcome.isCancelled && outcome.error is FlowError)
  }

  @Test func `a run that is only started there is not its task's`() async {
    let run = await inCancelledTask { Flow().add("one") { _ in }.start() }
    #expect(await run.outcome.isSuccess)
  }
}

private final class CountingOp: FlowOperation, @unchecked Sendable {
  private let begun: Tally

  init(_ begun: Tally) { self.begun = begun }

  override func run() async throws { begun.add() }
}
