import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// A limiter counts a start when the work is called, however long that is after the permit was granted.
@Suite(.watched) struct BeginningTests {
  private static let numbers = FlowKey<[Int]>("numbers")

  /// A clock that records each reading of its time in `notes`.
  private final class NotingClock: Clock, Sendable {
    private let clock = StepClock()
    let notes: Journal<String>

    init(_ notes: Journal<String>) { self.notes = notes }

    var minimumResolution: Duration { .nanoseconds(1) }
    var now: StepClock.Instant {
      notes.append("read")
      return clock.now
    }
    func sleep(until deadline: StepClock.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  private class NotingOp: FlowOperation, @unchecked Sendable {
    let notes: Journal<String>
    init(_ notes: Journal<String>) { self.notes = notes }
  }

  private final class CalledOp: NotingOp, @unchecked Sendable {
    override func mainLogic() {
      notes.append("work")
      finishSuccessfully()
    }
  }

  private final class AwaitedOp: NotingOp, @unchecked Sendable {
    override func run() async throws { notes.append("work") }
  }

  @Test(arguments: [
    "closure", "task", "operation", "awaited operation", "dependent operation", "items", "tasks of items",
  ])
  func `its clock is read between the start that is recorded and the work`(kind: String) async {
    let notes = Journal<String>()
    let limiter = FlowLimiter(starts: 1_000, per: .seconds(1), clock: NotingClock(notes))
    let flow = Flow("Noted").observe { if $0.kind == .started, $0.source.name == "it" { notes.append("started") } }
    switch kind {
    case "closure": flow.add("it", .limited(by: limiter)) { _ in notes.append("work") }
    case "task": flow.add("it", .limited(by: limiter)) { _ async in notes.append("work") }
    case "operation": flow.add(CalledOp(notes), .limited(by: limiter), .named("it"))
    case "awaited operation": flow.add(AwaitedOp(notes), .limited(by: limiter), .named("it"))
    case "dependent operation":
      let operation = AwaitedOp(notes)
      let other = BlockOperation {}
      operation.addDependency(other)
      flow.add("before") { _ in other.start() }.add(operation: operation, .limited(by: limiter), .named("it"))
    case "items": flow.forEach(in: 0..<1, .limited(by: limiter), .named("it")) { _, _ in notes.append("work") }
    default: flow.forEach(in: 0..<1, .limited(by: limiter), .named("it")) { _, _ async in notes.append("work") }
    }
    #expect(await flow.run().isSuccess)
    #expect(Array(notes.entries.suffix(3)) == ["started", "read", "work"] || kind.hasSuffix("operation"))
    #expect(Array(notes.entries.suffix(2)) == ["read", "work"], "\(notes.entries)")
  }

  @Test(arguments: [false, true]) func `a window counts from the call of the work, not from its permit`(isAwaited: Bool)
    async
  {
    let (clock, starts) = (StepClock(jumps: true), Journal<Duration>())
    let limiter = FlowLimiter(starts: 1, per: .seconds(1), clock: clock)
    // Time passes between the permit and the work of every second item.
    let flow = Flow("Slow").observe { event in
      if event.kind == .started, event.source.item?.isMultiple(of: 2) == true { clock.advance(by: .milliseconds(900)) }
    }
    if isAwaited {
      flow.forEach(in: 0..<9, width: 1, .limited(by: limiter)) { _, _ async in starts.append(clock.now.offset) }
    } else {
      flow.forEach(in: 0..<9, width: 1, .limited(by: limiter)) { _, _ in starts.append(clock.now.offset) }
    }
    #expect(await flow.run().isSuccess)
    let times = starts.entries
    for (one, next) in zip(times, times.dropFirst()) { #expect(next - one >= .seconds(1), "\(times)") }
    #expect(times.count == 9)
  }

  @Test func `a beginning that is taken back is still to come`() {
    var queue = PermitQueue(limit: 9, rate: .init(starts: 1, period: .seconds(1)))
    #expect(queue.acquire(at: .zero) == true)
    let time = queue.begin(at: .zero)
    queue.removeStart(at: time)
    #expect(queue.acquire(at: .seconds(5)) == false)
    queue.begin(at: .seconds(6))
    #expect(queue.acquire(at: .milliseconds(6_999)) == false)
    #expect(queue.acquire(at: .seconds(7)) == true)
  }

  @Test func `of those who wait for permits, the ones with a higher priority come first`() async {
    let (limiter, mayEnd, order) = (FlowLimiter(atMost: 1), Signal(), Journal<String>())
    let holder = Task { try await limiter.withPermit { await mayEnd.wait() } }
    while limiter.heldCount == 0 { await Task.yield() }
    var runs: [FlowRun] = []
    let all: [(String, Operation.QueuePriority)] = [
      ("low", .low), ("first", .normal), ("high", .high), ("second", .normal), ("highest", .veryHigh),
    ]
    for (name, priority) in all {
      runs.append(Flow(name).add("it", .limited(by: limiter), .priority(priority)) { _ in order.append(name) }.start())
      while limiter.waitingCount < runs.count { await Task.yield() }
    }
    mayEnd.fire()
    for run in runs { #expect(await run.outcome.isSuccess) }
    _ = await holder.result
    #expect(order.entries == ["highest", "high", "first", "second", "low"])
  }
}
