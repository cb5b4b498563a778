import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct PausedLimitTests {
  private let limiter = FlowLimiter(atMost: 1)

  /// A run in which one item is running and the others wait for the permit.
  private struct Waiting {
    let begun = Signal()
    let mayEnd = Signal()
    let trail = Journal<Int>()
    let run: FlowRun

    init(_ limiter: FlowLimiter, holding token: Token? = nil) async {
      let (begun, mayEnd, trail) = (begun, mayEnd, trail)
      run = Flow().forEach(in: 0..<5, width: 5, .limited(by: limiter)) { item, _ in
        token?.touch()
        trail.append(item)
        await begun.fire(thenAwait: mayEnd)
      }.start()
      await begun.wait()
      while limiter.waitingCount < 4 { await Task.yield() }
    }
  }

  @Test func `what waits in a paused run gives its turn to others, and has it after resuming`() async throws {
    let waiting = await Waiting(limiter)
    waiting.run.pause()
    waiting.mayEnd.fire()
    try await limiter.withPermit {}
    for _ in 0..<100 { await Task.yield() }
    #expect(waiting.trail.entries.count == 1 && limiter.isIdle)
    #expect(waiting.run.waitingFor.map(\.reason) == Array(repeating: .limit, count: 4))
    waiting.run.resume()
    #expect(await waiting.run.outcome.isSuccess)
    #expect(waiting.trail.entries.sorted() == [0, 1, 2, 3, 4] && limiter.isIdle)
  }

  @Test func `a paused run whose waiters have given up their turns can be cancelled, and is freed`() async throws {
    let isFreed = Signal()
    func start() async throws {
      let waiting = await Waiting(limiter, holding: Token(isFreed))
      waiting.run.pause()
      waiting.mayEnd.fire()
      try await limiter.withPermit {}
      waiting.run.cancel()
      #expect(await waiting.run.outcome.isCancelled)
      #expect(limiter.isIdle)
    }
    try await start()
    await isFreed.wait()
  }
}
