import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct PausedLimitTests {
  private let limiter = FlowLimiter(atMost: 1)

  /// A run of which one item is at work and the others wait for the permit.
  private struct Waiting {
    let begun = Signal()
    let mayEnd = Signal()
    let trail = Journal<Int>()
    let run: FlowRun

    init(_ limiter: FlowLimiter) async {
      let (begun, mayEnd, trail) = (begun, mayEnd, trail)
      run = Flow().forEach(in: 0..<5, width: 5, .limited(by: limiter)) { item, _ in
        trail.append(item)
        begun.fire()
        await mayEnd.wait()
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
      let token = Token(isFreed)
      let (begun, mayEnd) = (Signal(), Signal())
      let run = Flow().forEach(in: 0..<5, width: 5, .limited(by: limiter)) { _, _ in
        token.touch()
        begun.fire()
        await mayEnd.wait()
      }.start()
      await begun.wait()
      while limiter.waitingCount < 4 { await Task.yield() }
      run.pause()
      mayEnd.fire()
      try await limiter.withPermit {}
      run.cancel()
      #expect(await run.outcome.isCancelled)
      #expect(limiter.isIdle)
    }
    try await start()
    await isFreed.wait()
  }

  @Test func `pausing and resuming while permits come and go loses none`() async {
    let (limiter, counter) = (FlowLimiter(atMost: 2), Counter())
    let runs = (0..<4).map { _ in
      Flow().forEach(in: 0..<100, width: 20, .limited(by: limiter)) { _, _ in
        counter.enter()
        await Task.yield()
        counter.leave()
      }.start()
    }
    let isOver = Signal()
    async let pausing: Void = {
      while !isOver.isOn {
        for run in runs {
          run.pause()
          await Task.yield()
          run.resume()
        }
      }
    }()
    for run in runs { #expect(await run.outcome.isSuccess) }
    isOver.fire()
    await pausing
    #expect(counter.total == 400 && counter.peak <= 2 && limiter.isIdle)
  }
}
