import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct FlowLimiterTests {
  @Test func `it gives back what its closure returns and throws, and the permit after each`() async throws {
    let limiter = FlowLimiter(atMost: 1)
    #expect(try await limiter.withPermit { 1 } == 1)
    await #expect(throws: TestError(name: "work")) { try await limiter.withPermit { throw TestError(name: "work") } }
    #expect(try await limiter.withPermit { 2 } == 2)
    #expect(limiter.heldCount == 0)
  }

  @Test func `no more of its closures run at once than it lets, however many wait`() async {
    let (limiter, counter, meeting) = (FlowLimiter(atMost: 3), Counter(), Meeting(size: 3))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<501 {
        group.addTask {
          try? await limiter.withPermit {
            counter.enter()
            await meeting.attend()
            counter.leave()
          }
        }
      }
    }
    #expect(counter.total == 501 && counter.peak == 3)
    #expect(limiter.heldCount == 0 && limiter.waitingCount == 0)
  }

  @Test func `a task that is cancelled leaves immediately, and one that was cancelled before doesn't begin`() async {
    let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
    let holder = Task { try await limiter.withPermit { await mayEnd.wait() } }
    while limiter.heldCount == 0 { await Task.yield() }
    let waiter = Task { try await limiter.withPermit { fail("ran") } }
    while limiter.waitingCount == 0 { await Task.yield() }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(limiter.waitingCount == 0 && limiter.heldCount == 1)
    mayEnd.fire()
    _ = await holder.result
    let late = Task {
      await untilCancelled()
      try await limiter.withPermit { fail("ran") }
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(limiter.heldCount == 0)
  }

  @Test func `no permit is lost if those who wait are cancelled while they get it`() async {
    for _ in 0..<2_000 {
      let (limiter, mayEnd) = (FlowLimiter(atMost: 1), Signal())
      let holder = Task { try await limiter.withPermit { await mayEnd.wait() } }
      while limiter.heldCount == 0 { await Task.yield() }
      let waiters = (0..<3).map { _ in Task { try await limiter.withPermit {} } }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { mayEnd.fire() }
        group.addTask { for waiter in waiters.prefix(2) { waiter.cancel() } }
      }
      _ = await holder.result
      for waiter in waiters { _ = await waiter.result }
      guard limiter.heldCount == 0, limiter.waitingCount == 0 else { return fail("a permit is lost") }
    }
  }

  @Test func `no window of its period has more starts than it allows`() async throws {
    let clock = StepClock()
    let limiter = FlowLimiter(starts: 3, per: .seconds(1), clock: clock)
    let (starts, ended) = (Journal<Duration>(), Tally())
    for _ in 0..<10 {
      Task {
        try await limiter.withPermit { starts.append(clock.now.offset) }
        ended.add()
      }
    }
    await ended.reach(3)
    for count in [6, 9, 10] {
      while limiter.waitingCount < 10 - (count - 3) && count < 10 { await Task.yield() }
      await clock.waiting(1)
      clock.advance(by: .milliseconds(999))
      #expect(clock.sleeperCount == 1 && starts.entries.count == (count == 10 ? 9 : count - 3))
      clock.advance(by: .milliseconds(1))
      await ended.reach(count)
    }
    #expect(starts.entries == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3].map { .seconds($0) })
    #expect(clock.mostSleepers == 1 && clock.sleeperCount == 0)
  }

  @Test func `the last one who waits for a time takes the timer along when it is cancelled`() async throws {
    let clock = StepClock()
    let limiter = FlowLimiter(atMost: 2, starts: 1, per: .seconds(60), clock: clock)
    try await limiter.withPermit {}
    let waiters = (0..<2).map { _ in Task { try await limiter.withPermit { fail("ran") } } }
    while limiter.waitingCount < 2 { await Task.yield() }
    await clock.waiting(1)
    for waiter in waiters {
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    while clock.sleeperCount > 0 { await Task.yield() }
    #expect(clock.mostSleepers == 1 && limiter.waitingCount == 0)
    clock.advance(by: .seconds(60))
    try await limiter.withPermit {}
  }

  @Test func `a permit whose work takes long doesn't count as a start any more`() async throws {
    let clock = StepClock()
    let limiter = FlowLimiter(atMost: 2, starts: 1, per: .seconds(1), clock: clock)
    try await limiter.withPermit {
      clock.advance(by: .seconds(1))
      try await limiter.withPermit {}
    }
    #expect(limiter.heldCount == 0)
  }

  @Test(arguments: [
    (FlowLimiter(atMost: 0), "the limiter lets 0 run at once"),
    (FlowLimiter(atMost: .min, starts: 1, per: .seconds(1)), "the limiter lets \(Int.min) run at once"),
    (FlowLimiter(starts: 0, per: .seconds(1)), "the limiter lets 0 start in its period"),
    (FlowLimiter(atMost: 1, starts: 1, per: .zero), "the limiter's period is 0.0 seconds"),
    (FlowLimiter(starts: 1, per: .seconds(-1)), "the limiter's period is -1.0 seconds"),
  ])
  func `numbers that make no sense are an error with a remedy`(limiter: FlowLimiter, problem: String) async throws {
    let error = await #expect(throws: FlowError.self) { try await limiter.withPermit { fail("ran") } }
    #expect(error?.code == .invalidLimit && error?.problem == problem)
    #expect(error?.remedy.hasPrefix("Give it ") == true)
  }

  @Test func `extreme numbers are no trap`() async throws {
    let limiter = FlowLimiter(atMost: .max, starts: .max, per: .seconds(Int64.max))
    #expect(try await limiter.withPermit { true })
    let once = FlowLimiter(starts: 1, per: .seconds(Int64.max))
    try await once.withPermit {}
    let waiter = Task { try await once.withPermit {} }
    while once.waitingCount == 0 { await Task.yield() }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
  }

  @Test func `it describes itself as it was made`() {
    #expect("\(FlowLimiter(atMost: 4))" == "FlowLimiter(atMost: 4)")
    #expect(
      "\(FlowLimiter(atMost: 4, starts: 10, per: .seconds(1)))"
        == "FlowLimiter(atMost: 4, starts: 10, per: 1.0 seconds)")
    #expect("\(FlowLimiter(starts: 10, per: .seconds(1)))" == "FlowLimiter(starts: 10, per: 1.0 seconds)")
  }

  @Test @MainActor func `its closure runs on the caller's actor and may use its values`() async throws {
    var count = 0
    try await FlowLimiter(atMost: 1).withPermit {
      MainActor.assertIsolated()
      count += 1
    }
    #expect(count == 1)
  }
}
