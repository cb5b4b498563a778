import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Tests flows that are started by the steps of flows.
///
/// If `OPERATIONFLOW_EFFORT` is below 1, fewer nested flows are cancelled, because the thread sanitizer supports at
/// most 64 locks for each thread.
@Suite(.heavy) struct StressTestsOfNesting {
  private static let depth = 1_000
  private static let cancelledDepth = TestSettings.effort < 1 ? 20 : depth

  /// Returns a flow whose one step runs another, and so on, down to a flow that calls `last`.
  private static func nest(_ depth: Int, _ last: @escaping @Sendable () async throws -> Void) -> Flow {
    Flow("level \(depth)").add("step") { _ in
      if depth == 0 { try await last() } else { _ = try await nest(depth - 1, last).run().get() }
    }
  }

  @Test func `a thousand flows, each started and awaited by a step of the one before, hold no thread`() async {
    let isReached = Signal()
    let outcome = await Self.nest(Self.depth) { isReached.fire() }.run()
    #expect(outcome.isSuccess && isReached.isOn)
  }

  @Test func `a failure at the bottom comes up through a thousand flows`() async {
    let outcome = await Self.nest(Self.depth) { throw TestError(name: "bottom") }.run()
    #expect(outcome.error as? TestError == TestError(name: "bottom"))
  }

  @Test func `a cancel at the top goes down through a thousand flows, and each ends`() async {
    let (isReached, isCancelled) = (Signal(), Signal())
    let run = Self.nest(Self.cancelledDepth) {
      await isReached.fireUntilCancelled()
      isCancelled.fire()
    }.start()
    await isReached.wait()
    // Each cancelled task cancels the flow that it awaits. The nested calls need a large stack, and one lock of the
    // language's runtime each: more than the thread sanitizer can count.
    await inThread(stackSize: 16 << 20) { run.cancel() }
    #expect(await run.outcome.isCancelled)
    #expect(isCancelled.isOn)
  }

  /// An operation that starts the next flow in its main logic, and ends when that flow has ended.
  private final class StartOp: FlowOperation, @unchecked Sendable {
    private let depth: Int
    private let ended: Tally

    init(_ depth: Int, _ ended: Tally) {
      self.depth = depth
      self.ended = ended
    }

    override func mainLogic() {
      startWithAsynchronous()
      let (depth, ended) = (depth, ended)
      guard depth > 0 else { return finishSuccessfully() }
      Flow().add(StartOp(depth - 1, ended)).observe { event in
        guard case .flowFinished = event.kind else { return }
        ended.add()
        self.finishSuccessfully()
      }.start()
    }
  }

  @Test func `a thousand flows, each started by an operation and ending it, without a task`() async {
    let ended = Tally()
    #expect(await Flow().add(StartOp(Self.depth, ended)).run().isSuccess)
    #expect(ended.count == Self.depth)
  }

  @Test func `groups of flows that are groups of flows come to their end`() async {
    let leaves = Counter()
    @Sendable func tree(_ depth: Int) -> Flow {
      Flow().forEach(in: 0..<4, width: 3) { _, _ in
        leaves.enter()
        if depth > 0 { _ = try await tree(depth - 1).run().get() }
      }
    }
    #expect(await tree(4).run().isSuccess)
    #expect(leaves.total == 4 + 16 + 64 + 256 + 1_024)
  }

  @Test func `a cancel in the midst of groups of flows ends all of them`() async {
    let (waiting, over) = (Tally(), Tally())
    @Sendable func tree(_ depth: Int) -> Flow {
      Flow().forEach(in: 0..<3, width: 3) { _, _ in
        if depth > 0 { return _ = try await tree(depth - 1).run().get() }
        await waiting.addUntilCancelled()
        over.add()
      }
    }
    let run = tree(3).start()
    await waiting.reach(81)
    run.cancel()
    #expect(await run.outcome.isCancelled)
    #expect(over.count == 81)
  }
}
