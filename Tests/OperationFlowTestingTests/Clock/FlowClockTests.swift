import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct FlowClockTests {
  /// Returns everything that a record contains about its events, including dates.
  private func texts(_ report: FlowReport) -> [String] {
    report.events.map { "\($0.number) \($0.date.timeIntervalSinceReferenceDate) \($0.source) \($0.kind) \($0.attempt)" }
  }

  /// Returns a flow with groups, branches, operations, retries with long delays, and time limits.
  private func flow() throws -> Flow {
    let faults = FlowFaults(seed: 11).failing(share: 0.3).hanging(share: 0.3).delaying(share: 0.3, by: .seconds(3))
    return try publishing().tried(40, delay: .seconds(60), timeout: .seconds(30)).injecting(faults)
  }

  @Test func `minutes of delays pass by themselves`() async throws {
    let clock = ManualClock()
    let flow = Flow().add("flaky") { if $0.attempt < 5 { throw TestError() } }.tried(5, delay: .seconds(600))
    let report = try await flow.run(on: clock).get()
    #expect(clock.now.offset == .seconds(2400) && report.duration == .seconds(2400))
    #expect(report.steps.first?.duration == .seconds(2400))
    let starts = report.events.filter { $0.kind == .started }.map(\.date.timeIntervalSinceReferenceDate)
    #expect(starts == [0, 600, 1200, 1800, 2400])
  }

  @Test func `two runs with the same seed have equal records, dates included`() async throws {
    var records: [[String]] = []
    for _ in 0..<5 {
      let outcome = try await flow().run(on: ManualClock(), with: given)
      records.append(texts(outcome.report))
      #expect(outcome.isSuccess)
    }
    #expect(records[0].count > 40, "\(records[0].count)")
    #expect(Set(records).count == 1)
    #expect(records[0].contains { $0.contains("timedOut") || $0.contains("longer than") })
  }

  @Test func `time passes step by step as well, and a run does all that it can before that returns`() async {
    let clock = ManualClock()
    let flow = Flow().clock(clock).add("flaky") { if $0.attempt < 3 { throw TestError() } }.tried(
      3, delay: .seconds(60))
    let run = flow.start()
    await clock.advance(by: .seconds(59))
    #expect(run.currentOutcome == nil && clock.sleeperCount == 1)
    // The second delay begins and ends within this time.
    await clock.advance(by: .seconds(61))
    #expect(run.currentOutcome?.isSuccess == true && clock.now.offset == .seconds(120))
  }

  @Test func `a step that need not be waited for comes to its time limit`() async {
    let clock = ManualClock()
    let flow = Flow().add("sleeps") { context in
      guard context.attempt == 1 else { return }
      try await clock.withoutHoldingTime { try await Task.sleep(for: .seconds(3600)) }
    }
    .tried(2, timeout: .seconds(10))
    let outcome = await flow.run(on: clock)
    #expect(outcome.isSuccess && clock.now.offset == .seconds(10))
  }

  @Test func `no time passes while a step waits for the main actor, also if the run warns of quiet`() async {
    let clock = ManualClock()
    let flow = Flow().clock(clock).quietWarning(after: .seconds(30)).add("asks", .timeout(.seconds(20))) { _ async in
      for _ in 0..<5 { await MainActor.run {} }
    }
    let outcome = await clock.lettingTimePass { await flow.run() }
    #expect(outcome.isSuccess && outcome.report.duration == .zero)
  }

  @Test func `no time passes by itself while a step holds it, however long its work takes`() async throws {
    let clock = ManualClock()
    let flow = Flow().add("asks a server", .timeout(.seconds(20))) { _ in
      try await clock.holdingTime { try await Task.sleep(for: .milliseconds(50)) }
      try await clock.sleep(for: .seconds(10))
    }
    let report = try await flow.run(on: clock).get()
    #expect(report.duration == .seconds(10))
  }

  @Test func `steps that sleep on the clock take its time`() async throws {
    let clock = ManualClock()
    let flow = Flow().forEach(in: 1...4, width: 2) { (item: Int, _) async throws in
      try await clock.sleep(for: .seconds(item))
    }
    let report = try await flow.run(on: clock).get()
    #expect(report.duration == .seconds(6))
  }

  @Test func `the items of a group never run at the same time, and their order is always the same`() async throws {
    let (running, order) = (Tally(), Journal<Int>())
    let flow = Flow().forEach(in: 0..<20, width: 5) { (item: Int, _) async in
      for _ in 0..<5 {
        order.append(item)
        await Task.yield()
      }
      running.add()
    }
    _ = try await flow.run(on: ManualClock()).get()
    let first = order.entries
    _ = try await flow.run(on: ManualClock()).get()
    #expect(running.count == 40 && Array(order.entries.dropFirst(first.count)) == first)
  }

  @Test func `the dates of a run on a clock of another kind are those at its start and its time`() async throws {
    let clock = OtherClock(ManualClock())
    let before = Date()
    let flow = Flow().clock(clock).add("flaky") { if $0.attempt < 2 { throw TestError() } }.tried(
      2, delay: .seconds(600))
    let run = flow.start()
    await clock.base.advanceToNextTimer()
    let report = try await run.outcome.get()
    #expect(report.duration == .seconds(600))
    let dates = report.events.map(\.date)
    #expect(before <= dates[0] && dates[0] < before.addingTimeInterval(300))
    #expect(try #require(dates.last).timeIntervalSince(dates[0]).rounded() == 600)
  }

  @Test func `what was logged before a run has the date of its start`() async throws {
    let flow = Flow()
    flow.log(message: "before")
    let report = await flow.add("any") { _ in }.run(on: ManualClock()).report
    #expect(report.events.allSatisfy { $0.date == ManualClock.standardStart } && report.summary.contains("before"))
  }

  @Test func `a run on the standard clock has the system's dates`() async {
    let before = Date()
    let report = await Flow().add("any") { _ in }.run().report
    #expect(report.events.allSatisfy { before <= $0.date && $0.date <= Date() })
  }

  @Test func `cancelling the task that waits for a run on a clock cancels the run`() async {
    let started = Signal()
    let flow = Flow().add("waits") { _ in
      started.fire()
      try await Task.sleep(for: .seconds(3600))
    }
    let task = Task { await flow.run(on: ManualClock()) }
    await started.wait()
    task.cancel()
    #expect(await task.value.report.cancellation == .task)
  }

  @Test func `operations that depend on others, and callbacks of other queues, are waited for`() async throws {
    let flow = Flow().add(CallbackOp()).add("after") { _ in }
    let first = LoginOp()
    let second = LoginOp()
    second.addDependency(first)
    flow.add(operation: first).add(operation: second)
    try await flow.run(on: ManualClock(), with: given).expectSuccess().expectPath(
      ["CallbackOp", "after", "LoginOp", "LoginOp"])
  }

  @Test(arguments: [true, false])
  func `a limiter on the clock gives each permit at its moment`(byTrait: Bool) async throws {
    for _ in 0..<20 {
      let (clock, starts) = (ManualClock(), Journal<Duration>())
      let limiter = FlowLimiter(starts: 1, per: .seconds(1), clock: clock)
      let flow = Flow().deadline(.seconds(3600)).parallel("both") { both in
        both.branch("limited") { branch in
          if byTrait {
            branch.forEach(in: 0..<4, width: 4, .limited(by: limiter)) { _, _ in starts.append(clock.now.offset) }
          } else {
            branch.forEach(in: 0..<4, width: 4) { _, _ in
              try await limiter.withPermit { starts.append(clock.now.offset) }
            }
          }
        }
        both.branch("long") { $0.add("sleep") { _ in try await clock.sleep(for: .seconds(1000)) } }
      }
      try await flow.run(on: clock).expectSuccess()
      #expect(starts.entries == (0..<4).map { .seconds($0) } && clock.now.offset == .seconds(1000))
    }
  }

  @Test func `time stands still while a step waits for a limiter on another clock`() async throws {
    let limiter = FlowLimiter(starts: 1, per: .milliseconds(20))
    let clock = ManualClock()
    let flow = Flow().deadline(.seconds(3600)).forEach(in: 0..<3, .limited(by: limiter)) { _, _ in }
    try await flow.run(on: clock).expectSuccess()
    #expect(clock.now.offset == .zero)
  }
}

private final class CallbackOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    startWithAsynchronous()
    DispatchQueue.global().async { self.finishSuccessfully() }
  }
}

/// A clock as another package may define it.
private struct OtherClock: Clock {
  let base: ManualClock

  init(_ base: ManualClock) { self.base = base }

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}
