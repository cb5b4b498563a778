import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

/// Runs with an unknown amount of work.
@Suite(.watched) struct IndeterminateProgressTests {
  private struct Feed {
    let stream: AsyncStream<Int>
    let items: AsyncStream<Int>.Continuation

    init() { (stream, items) = AsyncStream.makeStream() }
  }

  /// Starts a step, the items of a feed, and another step.
  ///
  /// The run's progress is read before the first one ends.
  private func start(_ feed: Feed, mayEnd: Signal, failing item: Int? = nil) async -> (FlowRun, Progress) {
    let isWatched = Signal()
    let run = Flow().add("first") { _ in await isWatched.wait() }
      .forEach(in: feed.stream, width: 2, .weight(2)) { number, _ in if number == item { throw TestError() } }
      .add("last") { _ in await mayEnd.wait() }
      .start()
    let progress = run.progress
    isWatched.fire()
    return (run, progress)
  }

  /// Waits until the condition is true.
  private func until(_ isThere: () -> Bool) async {
    while !isThere() { await Task.yield() }
  }

  @Test func `an asynchronous sequence makes it indeterminate, with a count of the items that have ended`() async {
    let (feed, mayEnd) = (Feed(), Signal())
    let (run, progress) = await start(feed, mayEnd: mayEnd)
    await until { progress.isIndeterminate && progress.completedUnitCount == 0 }
    #expect(progress.fractionCompleted == 0)
    for count in 1...5 {
      feed.items.yield(count)
      await until { progress.completedUnitCount == Int64(count) }
      #expect(progress.isIndeterminate && !progress.isFinished)
    }
    feed.items.finish()
    await until { !progress.isIndeterminate }
    await until { abs(progress.fractionCompleted - 0.75) < 0.000_01 }
    #expect(progress.totalUnitCount > 0)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
    #expect(progress.fractionCompleted == 1 && progress.isFinished)
  }

  @Test func `after a failure it stays as it was`() async {
    let (feed, mayEnd) = (Feed(), Signal())
    let (run, progress) = await start(feed, mayEnd: mayEnd, failing: 2)
    feed.items.yield(1)
    await until { progress.completedUnitCount == 1 && progress.isIndeterminate }
    feed.items.yield(2)
    #expect(await run.outcome.error is TestError)
    #expect(progress.isIndeterminate && progress.completedUnitCount == 1)
  }

  @Test func `a parent counts it once, when it has ended`() async {
    // A process of its own: the progresses of other tests' runs would stand still while this one is added.
    await #expect(processExitsWith: .success) {
      let tests = IndeterminateProgressTests()
      let (feed, mayEnd, parent) = (Feed(), Signal(), Progress(totalUnitCount: 2))
      let (run, progress) = await tests.start(feed, mayEnd: mayEnd)
      parent.addChild(progress, withPendingUnitCount: 1)
      // Ends the addition, so that the progresses of other runs don't wait for this thread's next call.
      _ = run.progress
      await tests.until { progress.isIndeterminate && parent.fractionCompleted == 0 }
      feed.items.yield(1)
      feed.items.finish()
      await tests.until { abs(parent.fractionCompleted - 0.375) < 0.000_01 }
      mayEnd.fire()
      #expect(await run.outcome.isSuccess)
      #expect(abs(parent.fractionCompleted - 0.5) < 0.000_01 && parent.completedUnitCount == 1)
    }
  }
}
