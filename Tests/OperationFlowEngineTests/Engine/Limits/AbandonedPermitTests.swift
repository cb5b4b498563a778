import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

/// Abandoned work still uses the permits of its limiters.
@Suite(.watched) struct AbandonedPermitTests {
  private let limiter = FlowLimiter(atMost: 1)
  private let clock = StepClock()
  private let isAtWork = Signal()
  private let wasCancelled = Signal()
  private let mayEnd = Signal()

  /// The ways in which abandoned work ends late.
  enum End: CaseIterable { case returns, throwsError, operation, item }

  private final class StubbornOp: FlowOperation, @unchecked Sendable {
    private let work: @Sendable () async -> Void
    init(_ work: @escaping @Sendable () async -> Void) { self.work = work }
    override func run() async throws { await work() }
  }

  private func stubborn(_ end: End) -> Flow {
    let (isAtWork, wasCancelled, mayEnd, limiter) = (isAtWork, wasCancelled, mayEnd, limiter)
    let work: @Sendable () async -> Void = {
      await isAtWork.fireUntilCancelled()
      await wasCancelled.fire(thenAwait: mayEnd)
    }
    let flow = Flow("Stubborn").clock(clock)
    switch end {
    case .returns:
      return flow.add("hangs", .limited(by: limiter), .timeout(.seconds(1), abandoningAfter: .seconds(2))) { _ in
        await work()
      }
    case .throwsError:
      return flow.add("hangs", .limited(by: limiter), .timeout(.seconds(1), abandoningAfter: .seconds(2))) { _ in
        await work()
        throw TestError()
      }
    case .operation:
      let operation = StubbornOp(work)
      operation.name = "hangs"
      return flow.add(
        operation: operation, .limited(by: limiter), .timeout(.seconds(1), abandoningAfter: .seconds(2)))
    case .item:
      return flow.forEach(
        in: 0..<1, .named("hangs"), .limited(by: limiter), .timeout(.seconds(1), abandoningAfter: .seconds(2))
      ) { _, _ async in await work() }
    }
  }

  /// Advances the clock past the time limit of the work, and then to the moment at which the work is abandoned.
  ///
  /// Work whose time is over before it starts never starts.
  private func abandon() async {
    await isAtWork.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await wasCancelled.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(2))
  }

  @Test(arguments: End.allCases)
  func `abandoned work keeps its permit until it has ended, even if its run has ended before`(_ end: End) async throws {
    let run = stubborn(end).start()
    await abandon()
    #expect((await run.outcome.error as? FlowError)?.code == .timedOut)
    #expect(limiter.heldCount == 1)

    let other = Flow("Other").add("waits", .limited(by: limiter)) { [mayEnd] _ in #expect(mayEnd.isOn) }.start()
    while other.waitingFor.first?.reason != .limit { await Task.yield() }
    let waiting = try #require(other.waitingFor.first)
    let keeper = end == .item ? "[hangs #1] of Stubborn" : "[hangs] of Stubborn"
    #expect(waiting.limiter == "FlowLimiter(atMost: 1)" && waiting.keptBy == [keeper])
    let text = "1. waits waits for a permit of FlowLimiter(atMost: 1), kept by abandoned work: \(keeper), for "
    #expect(other.diagnosis().description.contains(text))

    mayEnd.fire()
    #expect(await other.outcome.isSuccess)
    #expect(limiter.isIdle && limiter.state.withLock { $0.keepers.isEmpty }, "it comes back once")
  }

  @Test func `the next attempt waits for the permit of an abandoned one`() async {
    let (isAtWork, wasCancelled, mayEnd, limiter) = (isAtWork, wasCancelled, mayEnd, limiter)
    let run = Flow("Again").clock(clock)
      .add(
        "hangs", .limited(by: limiter), .timeout(.seconds(1), abandoningAfter: .seconds(2)), .retry(.attempts(2))
      ) { context in
        guard context.attempt == 1 else { return #expect(mayEnd.isOn) }
        await isAtWork.fireUntilCancelled()
        await wasCancelled.fire(thenAwait: mayEnd)
      }.start()
    await abandon()
    while run.waitingFor.first?.reason != .limit { await Task.yield() }
    #expect(run.waitingFor.first?.keptBy == ["[hangs] of Again"])
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
    #expect(limiter.isIdle)
  }
}
