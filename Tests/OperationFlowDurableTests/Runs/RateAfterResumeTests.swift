import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The rate of a limiter after the process that used it has ended.
@Suite(.watched) struct RateAfterResumeTests {
  private let clock = ManualClock()

  private func limiter() -> FlowLimiter { FlowLimiter(starts: 2, per: .seconds(10), clock: clock) }

  private func flow(_ limiter: FlowLimiter, _ started: Journal<Int>) -> Flow {
    Flow("Rate").clock(clock).forEach(in: 0..<4, width: 1, .limited(by: limiter)) { item, _ in started.append(item) }
  }

  /// Returns the journal of a run whose first two items have ended, and whose third one waits for the rate.
  private func interrupted() async throws -> [Data] {
    let (store, limiter) = (MemoryFlowStore(), limiter())
    let run = Task { await flow(limiter, Journal()).run(id: "a", in: store, durability: .operatingSystem) }
    // The beginning, the plan, and two items.
    while limiter.waitingCount == 0 || (store.journals["a"]?.withoutBegins.count ?? 0) < 4 { await Task.yield() }
    let entries = try #require(store.journals["a"])
    run.cancel()
    _ = await run.value
    return entries
  }

  @Test(arguments: [false, true]) func `starts before the restart count until their time is over`(
    isFolded: Bool
  ) async throws {
    var entries = try await interrupted()
    if isFolded {
      entries = try JournalCompaction.folded(entries, ratePeriod: { _ in .seconds(10) }) { _ in false }
    }
    await clock.advance(by: .seconds(4))
    let (limiter, started) = (limiter(), Journal<Int>())
    let store = MemoryFlowStore(["a": entries])
    let run = Task { await flow(limiter, started).run(id: "a", in: store) }
    // Nothing would wait if the rate started anew.
    while limiter.waitingCount == 0, started.entries.isEmpty { await Task.yield() }
    try #require(started.entries == [])
    await clock.untilSleeping()
    await clock.advance(by: .seconds(5))
    #expect(started.entries == [] && limiter.waitingCount == 1)
    await clock.untilSleeping()
    await clock.advance(by: .seconds(1))
    #expect(await run.value.isSuccess && started.entries == [2, 3])
  }

  @Test func `starts whose time is over don't count`() async throws {
    let entries = try await interrupted()
    await clock.advance(by: .seconds(10))
    let (limiter, started) = (limiter(), Journal<Int>())
    let outcome = await flow(limiter, started).run(id: "a", in: MemoryFlowStore(["a": entries]))
    #expect(outcome.isSuccess && started.entries == [2, 3])
  }
}
