import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Steps that wait for time, in runs with a store and without one.
@Suite(.watched) struct WaitTests {
  @Test func `a step waits for as long as it says, and for nothing else`() async throws {
    let clock = ManualClock()
    let outcome = await Flow("Reminder").wait(.seconds(86_400), named: "a day").add("remind") { _ in }.run(on: clock)
    #expect(outcome.isSuccess && clock.now.offset == .seconds(86_400))
  }

  @Test func `its time is as exact as it is written, whatever the date`() async throws {
    let start = Date(timeIntervalSinceReferenceDate: 815_968_000.123_456_7)
    for time in [Duration.milliseconds(9), .seconds(46_800), .milliseconds(1_001), .seconds(13 * 3_600) / 7] {
      let (plain, dated) = (ManualClock(), ManualClock(startingAt: start))
      let signal = FlowSignal<Int>("s")
      for clock in [plain, dated] {
        let flow = Flow("Exact").wait(time).wait(for: signal, continuingAfter: time)
        let report = await flow.run(on: clock).report
        #expect(report.duration == time * 2 && clock.now.offset == time * 2, "\(time)")
      }
    }
  }

  @Test func `a flow reminds until an answer comes, and may rely on it behind the last wait`() async {
    let (answer, reminded) = (FlowSignal<String>("answer"), Tally())
    let flow = Flow("Ask")
    for number in 1...2 {
      flow.wait(for: answer, continuingAfter: .seconds(10), named: "wait \(number)", .when { !$0.contains(answer.key) })
        .add("reminder \(number)", .when { !$0.contains(answer.key) }, .writesNothing) { _ in reminded.add() }
    }
    flow.wait(for: answer, timeout: .seconds(10), named: "last wait", .when { !$0.contains(answer.key) })
      .add("use", .reads(answer.key), .writesNothing) { context in context.log(try context.require(answer.key)) }
    #expect(flow.findings == [])
    let clock = ManualClock()
    let outcome = await flow.run(on: clock)
    #expect(outcome.code == .timedOut && reminded.count == 2)
  }

  @Test func `branches wait at the same time`() async {
    let clock = ManualClock()
    let flow = Flow("Both").parallel("waits") {
      $0.branch("short") { $0.wait(.seconds(10)) }.branch("long") { $0.wait(.seconds(30)) }
    }
    #expect(await flow.run(on: clock).isSuccess && clock.now.offset == .seconds(30))
  }

  @Test func `a date that has passed is not waited for, and one to come is`() async {
    let clock = ManualClock()
    let key = FlowKey<Date>("due")
    let flow = Flow("Dates").wait(until: clock.date.addingTimeInterval(-5)).wait(until: key)
    let due = clock.date.addingTimeInterval(90)
    #expect(await flow.run(on: clock) { $0[key] = due }.isSuccess && clock.now.offset == .seconds(90))
  }

  @Test func `a run that waits says for what, and until when`() async throws {
    let clock = ManualClock()
    let run = Flow("Says").clock(clock).wait(.seconds(60), named: "a minute").start()
    await clock.untilSleeping()
    let waiting = try #require(run.waitingFor.first)
    #expect(waiting.reason == .date(clock.date.addingTimeInterval(60)) && waiting.source.name == "a minute")
    #expect(waiting.text(at: clock.date).contains("waits until 2001-01-01T00:01:00Z"))
    run.cancel()
    guard case .cancelled = await run.outcome else { return #expect(Bool(false), "not cancelled") }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `nothing of a run that has ended waits for the time of a step that ended before it`() async throws {
    let (clock, signal) = (StepClock(), "number" as FlowSignal<Int>)
    let run = Flow("Early").clock(clock).wait(for: signal, timeout: .seconds(86_400)).start()
    while clock.sleeperCount == 0 { await Task.yield() }
    try run.send(signal, 1)
    #expect(await run.outcome.isSuccess)
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  @Test func `nor of a run that was put away`() async throws {
    let (clock, signal, store) = (StepClock(), "number" as FlowSignal<Int>, MemoryFlowStore())
    let flow = Flow("Away").clock(clock).wait(for: signal, timeout: .seconds(86_400))
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock)
    let task = Task { try await supervisor.run() }
    try await supervisor.begin("1", of: "Away")
    while supervisor.status.waitingCount < 1 { await Task.yield() }
    // Only the supervisor's own alarm is left.
    while clock.sleeperCount > 1 { await Task.yield() }
    task.cancel()
    try await task.value
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  @Test func `nor does a run that goes on wait for it`() async throws {
    let (clock, signal, isAfter, mayGo) = (ManualClock(), "number" as FlowSignal<Int>, Signal(), Signal())
    let run = Flow("Goes on").clock(clock).wait(for: signal, timeout: .seconds(86_400)).add("after") { _ in
      isAfter.fire()
      await mayGo.wait()
    }.start()
    await clock.untilSleeping()
    try run.send(signal, 1)
    await isAfter.wait()
    #expect(clock.sleeperCount == 0)
    mayGo.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test(arguments: [Duration.seconds(-1), .seconds(Int64.max)])
  func `a time that makes no sense is refused before the run`(time: Duration) async {
    let outcome = await Flow("Bad").wait(time).run()
    #expect((outcome.error as? FlowError)?.code == .invalidWait)
  }

  @Test func `a date that a key doesn't hold fails the step`() async {
    let key = FlowKey<Date>("due")
    let flow = Flow("Missing").add("set", .writes(key)) { _ in }.wait(until: key)
    #expect((await flow.run().error as? FlowError)?.key == "due")
    let endless = await Flow("Endless").wait(until: key).run { $0[key] = .distantFuture }
    #expect((endless.error as? FlowError)?.code == .invalidWait)
  }

  // MARK: Durable

  @Test(arguments: [0, 40, 100, 500])
  func `after a restart, a step waits for what is left of its time`(away: Int) async throws {
    let store = MemoryFlowStore()
    let make = { (clock: ManualClock) in Flow("Durable").clock(clock).wait(.seconds(100)).add("after") { _ in } }
    let first = ManualClock()
    try await Self.interrupt(make(first), store, first)
    let start = first.date.addingTimeInterval(Double(away))
    let second = ManualClock(startingAt: start)
    let outcome = await second.lettingTimePass { await make(second).run(id: "r", in: store) }
    #expect(outcome.isSuccess && second.now.offset == .seconds(max(0, 100 - away)))
  }

  @Test func `a clock that was set back lets a date come later, and a time that has begun too`() async throws {
    let store = MemoryFlowStore()
    let first = ManualClock()
    let due = first.date.addingTimeInterval(100)
    let make = { (clock: ManualClock) in Flow("Back").clock(clock).wait(until: due) }
    try await Self.interrupt(make(first), store, first)
    let second = ManualClock(startingAt: first.date.addingTimeInterval(-50))
    let outcome = await second.lettingTimePass { await make(second).run(id: "r", in: store) }
    #expect(outcome.isSuccess && second.date == due)
  }

  @Test func `a journal that was made shorter keeps until when a step waits`() async throws {
    let store = MemoryFlowStore()
    let make = { (clock: ManualClock) in Flow("Folded").clock(clock).add("before") { _ in }.wait(.seconds(100)) }
    let first = ManualClock()
    try await Self.interrupt(make(first), store, first)
    let entries = try JournalCompaction.folded(try #require(store.journals["r"]), as: make(first))
    let second = ManualClock(startingAt: first.date.addingTimeInterval(30))
    let outcome = await second.lettingTimePass {
      await make(second).run(id: "r", in: MemoryFlowStore(["r": entries]))
    }
    #expect(outcome.isSuccess && second.now.offset == .seconds(70))
  }

  /// Runs a flow until it waits, and stops it as the end of its process would.
  private static func interrupt(_ flow: Flow, _ store: MemoryFlowStore, _ clock: ManualClock) async throws {
    let journals = Locked([String: [Data]]())
    let copy = MemoryFlowStore(store.journals)
    async let outcome = flow.run(id: "r", in: copy)
    await clock.untilSleeping()
    while copy.journals["r"]?.contains(where: { $0.first == JournalEntry.Kind.waits.rawValue }) != true {
      await Task.yield()
    }
    journals.withLock { $0 = copy.journals }
    flow.cancel()
    _ = await outcome
    let journal = try store.openJournal(of: "r").journal
    for entry in journals.withLock({ $0["r"] ?? [] }) { try journal.append(entry) }
    journal.close()
  }
}
