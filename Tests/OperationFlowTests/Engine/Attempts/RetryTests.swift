import OperationFlow
import OperationFlowTesting
import Testing

@Suite(.watched) struct RetryTests {
  /// Fails before a given attempt, and appends an entry in each.
  private final class FlakyOp: FlowOperation, @unchecked Sendable {
    @FlowOutput(FlowKey<Int>("made")) var made: Int?
    private let succeedsAt: Int
    private let seen: Journal<ObjectIdentifier>

    init(succeedsAt: Int, seen: Journal<ObjectIdentifier>) {
      self.succeedsAt = succeedsAt
      self.seen = seen
    }

    func kept(in journal: Journal<FlakyOp>) -> FlakyOp {
      journal.append(self)
      return self
    }

    override func run() async throws {
      seen.append(ObjectIdentifier(self))
      made = seen.entries.count
      if seen.entries.count < succeedsAt { throw TestError(name: "\(seen.entries.count)") }
    }
  }

  private struct Busy: FlowRetryDelaying {
    var retryDelay: Duration?
  }

  @Test func `each attempt is a new operation, and what a failed one assigned is dropped`() async throws {
    let seen = Journal<ObjectIdentifier>()
    // Retains the operations, so that no two have the same address.
    let made = Journal<FlakyOp>()
    let flow = Flow().add(FlakyOp(succeedsAt: 3, seen: seen).kept(in: made), .retry(.attempts(3)))
    let report = await flow.run().report
    #expect(Set(seen.entries).count == 3 && report[FlowKey<Int>("made")] == 3)
    #expect(report.steps.map(\.attempts) == [3] && report.steps.map(\.end) == [.succeeded])
    let written = report.events.filter { if case .added("made", _) = $0.kind { true } else { false } }
    #expect(written.count == 1)
    let ends = report.events.compactMap {
      if case .finished(let end) = $0.kind { (end, $0.attempt, $0.isRetried) } else { nil }
    }
    #expect(ends.map(\.1) == [1, 2, 3] && ends.map(\.2) == [true, true, false])
    #expect(ends.map(\.0) == [.withError("TestError(1)"), .withError("TestError(2)"), .successfully])
  }

  @Test func `the last failure, of a step or of an item, says how many attempts there were`() async {
    let outcome = await Flow().add("broken", .retry(.attempts(4))) { throw TestError(name: "\($0.attempt)") }.run()
    #expect(outcome.error as? TestError == TestError(name: "4") && outcome.failure?.attempt == 4)
    #expect(outcome.report.summary.contains("failed in [broken] (attempt 4): TestError(4)"))
    let flow = Flow().forEach(in: 0..<4, tolerating: .all, .retry(.attempts(2))) { (item: Int, context) in
      if item == 2 { throw TestError(name: "\(context.attempt)") }
    }
    #expect(
      await flow.run().report.itemFailures.map { "\($0.index) \($0.attempt) \($0.error)" } == ["2 2 TestError(2)"])
  }

  @Test func `only errors that are worth it are followed by another attempt`() async {
    let flow = Flow().add("picky", .retry(.attempts(9)) { $0 as? TestError != TestError(name: "3") }) {
      throw TestError(name: "\($0.attempt)")
    }
    #expect(await flow.run().failure?.attempt == 3)
    // A value that is missing now is missing a moment later, too.
    let missing = Flow().add("reads", .retry(.attempts(9))) { _ = try $0.require(FlowKey<Int>("missing")) }
    #expect(await missing.run().failure?.attempt == 1)
  }

  @Test func `jitter takes off a random part, the same for the same seed`() async {
    func delay(seed: UInt64) async -> Duration {
      let clock = StepClock()
      let run = Flow().clock(clock).randomSeed(seed)
        .add("flaky", .retry(.exponential(attempts: 2, first: .seconds(10), jitter: 1))) {
          if $0.attempt == 1 { throw TestError() }
        }.start()
      await clock.waiting(1)
      let due = clock.nextDeadline
      clock.advance(by: .seconds(10))
      _ = await run.outcome
      return due ?? .zero
    }
    let delays = [await delay(seed: 1), await delay(seed: 1), await delay(seed: 2)]
    #expect(delays[0] == delays[1] && delays[1] != delays[2])
    #expect(delays.allSatisfy { $0 > .zero && $0 < .seconds(10) })
  }

  @Test func `an error that asks for a delay gets it`() async {
    let clock = StepClock()
    let run = Flow().clock(clock)
      .add("busy", .retry(.attempts(4, delay: .seconds(1)))) { context in
        if context.attempt == 1 { throw Busy(retryDelay: .seconds(90)) }
        if context.attempt == 2 { throw Busy(retryDelay: nil) }
        if context.attempt == 3 { throw Busy(retryDelay: .seconds(-5)) }
      }.start()
    for expected in [90, 91] {
      await clock.waiting(1)
      #expect(clock.nextDeadline == .seconds(expected))
      clock.advance(by: .seconds(expected) - clock.now.offset)
    }
    #expect(await run.outcome.isSuccess && clock.now.offset == .seconds(91))
  }

  @Test func `items are tried again one by one, and keep their places`() async {
    let attempts = Tally()
    let flow = Flow().forEach(in: 0..<20, into: FlowKey<[Int]>("out"), width: 4, .retry(.attempts(3))) {
      item, context in
      attempts.add()
      if item % 3 == 0, context.attempt < 3 { throw TestError() }
      return item * 10 + context.attempt
    }
    let report = await flow.run().report
    #expect(report[FlowKey<[Int]>("out")] == (0..<20).map { $0 * 10 + ($0 % 3 == 0 ? 3 : 1) })
    #expect(attempts.count == 20 + 7 * 2 && report.itemFailures.isEmpty)
  }

  @Test func `a budget limits the retries of the whole run, and says when it is spent`() async {
    let attempts = Tally()
    let flow = Flow().retryBudget(.retries(5))
      .forEach(in: 0..<50, tolerating: .all, .retry(.attempts(10))) { (_: Int, _) in
        attempts.add()
        throw TestError()
      }
    let report = await flow.run().report
    #expect(attempts.count == 55 && report.itemFailures.count == 50)
    #expect(report.summary.contains("isn't retried: the run's retry budget is used up"))
  }

  @Test func `a share of all attempts is a budget that grows with the work`() async {
    let attempts = Tally()
    let flow = Flow().retryBudget(.share(0.1, atLeast: 1))
      .forEach(in: 0..<900, width: 1, tolerating: .all, .retry(.attempts(10))) { (_: Int, _) in
        attempts.add()
        throw TestError()
      }
    _ = await flow.run()
    #expect((998...1_001).contains(attempts.count))
  }

  @Test(arguments: [true, false])
  func `a share counts attempts alone, and not what is asked of a sequence`(isSequence: Bool) async {
    let numbers = FlowKey<[Int]>("numbers")
    let flow = Flow().retryBudget(.share(0.4, atLeast: 0)).set(numbers, to: [0, 1, 2])
    let body: @Sendable (Int, FlowContext) throws -> Void = { number, context in
      if number == 1, context.attempt == 1 { throw TestError() }
    }
    if isSequence {
      flow.forEach(in: 0..<3, width: 1, tolerating: .all, .retry(.attempts(2)), run: body)
    } else {
      flow.forEach(numbers, width: 1, tolerating: .all, .retry(.attempts(2)), run: body)
    }
    #expect(await flow.run().report.itemFailures.count == 1, "one retry in two attempts is more than the share")
  }

  @Test func `an item that waits for another attempt when its group stops counts as cancelled`() async {
    // Waits until the first item's attempt has settled, which is later than its error.
    let hasFailed = Signal()
    let flow = Flow().observe { if $0.isRetried { hasFailed.fire() } }
      .forEach(in: 0..<2, width: 2, .retry(.attempts(2, delay: .seconds(60)))) { (item: Int, _) async throws in
        if item == 0 { throw TestError(name: "again") }
        await hasFailed.wait()
        throw CancellationError()
      }
    let outcome = await flow.run(on: ManualClock())
    let items = outcome.report.steps.first?.items
    #expect(outcome.isCancelled && items?.cancelled == 2, "\(items as Any)")
  }

  @Test func `cancelling ends a delay at once`() async {
    let clock = StepClock()
    let run = Flow().clock(clock)
      .add("broken", .retry(.attempts(9, delay: .seconds(60)))) { _ in throw TestError() }.start()
    await clock.waiting(1)
    run.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `a run that only waits for a delay goes on though nothing holds it`() async {
    let clock = StepClock()
    let hasEnded = Signal()
    do {
      _ = Flow().clock(clock).add("flaky", .retry(.attempts(2, delay: .seconds(1)))) { context in
        if context.attempt == 1 { throw TestError() }
        hasEnded.fire()
      }.start()
    }
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    await hasEnded.wait()
  }
}
