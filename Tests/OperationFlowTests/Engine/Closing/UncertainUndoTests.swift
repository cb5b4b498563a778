import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// Undos of work that began and didn't succeed, but whose effect may have happened.
@Suite(.watched) struct UncertainUndoTests {
  private let undone = Journal<String>()

  private func undo<Work: FlowStep.LeafWork>(_ name: String) -> StepTrait<Work> {
    .undo(alsoIfUncertain: true) { [undone] context in
      undone.append(context.index.map { "\(name) \($0)" } ?? name)
    }
  }

  private var names: [String] { undone.entries }

  @Test func `a step whose answer was lost is undone before what had succeeded, and finds its own key`() async {
    let keys = Journal<String>()
    let outcome = await Flow("Order")
      .add("reserve", undo("reserve")) { _ in }
      .add(
        "charge", .retry(.attempts(2)),
        .undo(alsoIfUncertain: true) { context in
          keys.append(context.stepIdempotencyKey)
          #expect(context.idempotencyKey == context.stepIdempotencyKey + "/undo")
        }
      ) { context in
        keys.append(context.idempotencyKey)
        #expect(context.stepIdempotencyKey == context.idempotencyKey)
        throw TestError(name: "the answer was lost")
      }
      .run()
    #expect(outcome.report.undos.map(\.name) == ["[charge]", "[reserve]"] && names == ["reserve"])
    #expect(keys.entries.count == 3 && Set(keys.entries).count == 1)
  }

  @Test func `what has not begun is not undone, and neither is what failed without asking for that`() async {
    let limiter = FlowLimiter(atMost: 1)
    let (begins, hasFailed) = (Signal(), Signal())
    let outcome = await Flow("Parallel")
      .parallel {
        $0.branch("holds") { branch in
          branch.add("holds", .limited(by: limiter), undo("holds")) { _ async throws in
            begins.fire()
            await hasFailed.wait()
            throw TestError(name: "holds")
          }
          branch.add("later", undo("later")) { _ in }
        }
        $0.branch("waits") { branch in
          branch.add("ready") { _ async in await begins.wait() }
          branch.add("fails", .undo { [undone] _ in undone.append("fails") }) { _ in
            hasFailed.fire()
            throw TestError(name: "fails")
          }
        }
      }
      .run()
    #expect(!outcome.isSuccess && names == ["holds"])
  }

  @Test func `a step that waits for a permit has not begun, and one that was cancelled in its work has`() async {
    let limiter = FlowLimiter(atMost: 1)
    let begins = Signal()
    let run = Flow("Items")
      .forEach(in: 0..<3, width: 3, .limited(by: limiter), undo("item")) { _, _ in await begins.fireUntilCancelled() }
      .start()
    await begins.wait()
    while run.waitingFor.filter({ $0.reason == .limit }).count < 2 { await Task.yield() }
    run.cancel()
    #expect(await run.outcome.isCancelled && names.count == 1)
  }

  @Test func `a step that is cut off between two attempts is undone`() async {
    let clock = ManualClock()
    let run = Flow("Delay").clock(clock)
      .add("charge", .retry(.attempts(3, delay: .seconds(60))), undo("charge")) { _ in throw TestError() }
      .start()
    while run.waitingFor.map(\.reason) != [.nextAttempt] { await Task.yield() }
    run.cancel()
    #expect(await run.outcome.isCancelled && names == ["charge"])
  }

  @Test func `a step that recovered is undone once, and one whose recovery fails as well`() async {
    let recovered = Flow("Recovered").add("charge", .recover { _, _ in }, undo("charge")) { _ in throw TestError() }
      .add("ship") { _ in throw TestError() }
    #expect(!(await recovered.run().isSuccess) && names == ["charge"])
    let failed = Flow("Failed")
      .add(
        "charge",
        .recover { _, context in
          #expect(context.stepIdempotencyKey.hasSuffix("/1. charge")); throw TestError()
        }, undo("again")
      ) {
        _ in throw TestError()
      }
    #expect(!(await failed.run().isSuccess) && names == ["charge", "again"])
  }

  @Test func `items whose failures were tolerated are undone if the run fails later, and not if it succeeds`() async {
    let flow = { (fails: Bool) in
      Flow("Items").forEach(in: 0..<4, width: 1, tolerating: .all, undo("item")) { item, _ in
        if item % 2 == 1 { throw TestError() }
      }
      .add("end") { _ in if fails { throw TestError() } }
    }
    #expect(await flow(false).run().isSuccess && names.isEmpty)
    #expect(!(await flow(true).run().isSuccess) && names == ["item 3", "item 2", "item 1", "item 0"])
  }

  @Test func `the undo of an item that failed has the item, and no output`() async {
    let found = Journal<String>()
    _ = await Flow("Items").forEach(
      in: ["a", "b"], width: 1,
      .undo(alsoIfUncertain: true) { context in
        let output = try? context.output(as: Int.self)
        found.append("\(try context.item(as: String.self)) \(output.map { "\($0)" } ?? "none")")
      }
    ) { item, _ -> Int in
      if item == "b" { throw TestError() }
      return 7
    }.run()
    #expect(found.entries == ["b none", "a 7"])
  }

  @Test func `an attempt that took too long is undone`() async {
    let clock = ManualClock()
    let begins = Signal()
    let run = Flow("Slow").clock(clock)
      .add("charge", .timeout(.seconds(1)), undo("charge")) { _ in await begins.fireUntilCancelled() }.start()
    await begins.wait()
    await clock.advance(by: .seconds(1))
    #expect((await run.outcome.error as? FlowError)?.code == .timedOut && names == ["charge"])
  }
}
