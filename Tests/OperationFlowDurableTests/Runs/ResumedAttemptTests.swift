import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable
@testable import OperationFlowTesting

/// Attempts in the journal of a resumed run, and attempts that wait for the journal.
@Suite(.watched) struct ResumedAttemptTests {
  /// Two items, the second of which arrives after a signal.
  private struct Items: AsyncSequence {
    let mayComplete: Signal
    var count = 2

    struct AsyncIterator: AsyncIteratorProtocol {
      let items: Items
      var next = 0

      mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Int? {
        defer { next += 1 }
        if next == 0 { return 0 }
        await items.mayComplete.wait()
        return next < items.count ? next : nil
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(items: self) }
  }

  @Test(arguments: [1, 2])
  func `the next attempt of an item needs no other item of the sequence`(count: Int) async throws {
    let (mayComplete, hasSucceeded, ran) = (Signal(), Signal(), Journal<String>())
    let make = { (items: Items) in
      Flow("Stream").forEach(
        in: items, into: .sizes, width: 2, .retry(.attempts(2, delay: .milliseconds(1)))
      ) { number, context in
        ran.append("\(number)@\(context.attempt)")
        if number == 0, context.attempt == 1 { throw TestError(name: "first") }
        return number
      }
    }
    let flow = make(Items(mayComplete: mayComplete, count: count)).observe { event in
      if event.kind == .finished(.successfully), event.source.item == 0 { hasSucceeded.fire() }
    }
    let store = MemoryFlowStore()
    async let first = flow.run(id: "a", in: store, durability: .operatingSystem)
    await hasSucceeded.wait()
    while (store.journals["a"]?.withoutBegins.count ?? 0) < 4 { await Task.yield() }
    let entries = try #require(store.journals["a"])
    mayComplete.fire()
    #expect(await first.isSuccess)
    // The sequence returns its next item, or its end, only after the run is resumed.
    let again = Signal()
    let before = ran.entries.count
    let resuming = make(Items(mayComplete: again, count: count))
    async let second = resuming.run(id: "a", in: MemoryFlowStore(["a": entries]))
    again.fire()
    let outcome = await second
    #expect(outcome.isSuccess && outcome.report[.sizes] == Array(0..<count), "\(outcome)")
    #expect(ran.entries.dropFirst(before) == (count == 1 ? [] : ["1@1"]))
  }

  @Test(arguments: [false, true])
  func `the time of all attempts may be over during a delay, also of what is limited`(isLimited: Bool) async throws {
    let make = { (clock: ManualClock) in
      let limiter = FlowLimiter(atMost: isLimited ? 1 : 9)
      let flow = Flow("Times").clock(clock)
      let body = { @Sendable (_: FlowContext) throws in throw TestError(name: "no") }
      let times: StepTrait<FlowStep.Repeatable> = .timeout(.seconds(5), of: .allAttempts)
      return isLimited
        ? flow.add("one", .limited(by: limiter), .retry(.attempts(3, delay: .seconds(10))), times, run: body)
        : flow.add("one", .retry(.attempts(3, delay: .seconds(10))), times, run: body)
    }
    let store = MemoryFlowStore()
    let run = { (store: MemoryFlowStore) in
      let clock = ManualClock()
      return await clock.lettingTimePass { await make(clock).run(id: "a", in: store) }
    }
    let outcome = await run(store)
    #expect((outcome.error as? FlowError)?.code == .timedOut)
    let entries = try #require(store.journals["a"]).withoutBegins
    for count in 1...entries.count {
      let copy = MemoryFlowStore(["a": Array(entries.prefix(count))])
      let again = await run(copy)
      #expect(DurableCheck.text(of: again) == DurableCheck.text(of: outcome), "after \(count) of \(entries.count)")
    }
  }

  @Test func `retries before the resume count for the run's budget`() async throws {
    let (store, ran) = (MemoryFlowStore(), Tally())
    let make = {
      Flow("Budget").retryBudget(.retries(2)).add("one", .retry(.attempts(9))) { _ in
        ran.add()
        throw TestError(name: "no")
      }
    }
    _ = await make().run(id: "a", in: store)
    #expect(ran.count == 3)
    // The beginning and two attempts, so that one is left.
    let entries = try #require(store.journals["a"]).withoutBegins.prefix(3)
    _ = await make().run(id: "a", in: MemoryFlowStore(["a": Array(entries)]))
    #expect(ran.count == 4)
  }

  @Test(arguments: [false, true])
  func `waiting for the journal takes nothing from the time of an attempt`(isInGroup: Bool) async throws {
    let (clock, isAtDisk, mayContinue) = (ManualClock(), Signal(), Signal())
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in
        // The first step has settled, and the second waits for its entry.
        guard entries.withoutBegins.count >= 2 else { return }
        await isAtDisk.fire(thenAwait: mayContinue)
      }
    }
    let ran = Tally()
    let flow = Flow("Disk").clock(clock).add("one") { _ in }
    if isInGroup {
      flow.forEach(in: 0..<2, width: 2, .timeout(.seconds(1))) { _, _ in ran.add() }
    } else {
      flow.add("two", .timeout(.seconds(1))) { _ in ran.add() }
    }
    async let run = flow.run(id: "a", in: store, durability: .everySettlement)
    await isAtDisk.wait()
    await clock.advance(by: .seconds(60))
    mayContinue.fire()
    let outcome = await run
    #expect(outcome.isSuccess && ran.count == (isInGroup ? 2 : 1), "\(outcome)")
  }

  @Test(arguments: [FlowDurability.everySettlement, .grouped()])
  func `no time passes by itself while a store is at work`(durability: FlowDurability) async throws {
    let (isAtDisk, hasReported, mayContinue) = (Signal(), Signal(), Signal())
    // This clock reports why time stands still after 0.1 s; other clocks would have advanced by then.
    let clock = ManualClock(work: ClockWork(patience: .milliseconds(100))) { report in
      if report.contains("a store") { hasReported.fire() }
    }
    let store = HookedStore { hooks in hooks.synchronizing = { _ in await isAtDisk.fire(thenAwait: mayContinue) } }
    let flow = Flow("Disk").clock(clock).add("one") { _ in }
    async let run = flow.run(id: "a", in: store, durability: durability)
    await isAtDisk.wait()
    // Something waits for time, so time could pass from here on.
    let other = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.untilSleeping()
    await clock.lettingTimePass { await hasReported.wait() }
    #expect(clock.now.offset == .zero)
    mayContinue.fire()
    #expect(await run.isSuccess)
    other.cancel()
  }

  @Test func `an attempt that waited for the journal has its time all the same`() async throws {
    let (clock, began) = (ManualClock(), Signal())
    let flow = Flow("Disk").clock(clock).add("one") { _ in }
      .add("two", .timeout(.seconds(1))) { _ async throws in
        began.fire()
        try await Task.sleep(for: .seconds(3_600))
      }
    async let run = flow.run(id: "a", in: MemoryFlowStore(), durability: .everySettlement)
    await began.wait()
    await clock.untilSleeping()
    await clock.advance(by: .seconds(1))
    #expect((await run.error as? FlowError)?.code == .timedOut)
  }
}
