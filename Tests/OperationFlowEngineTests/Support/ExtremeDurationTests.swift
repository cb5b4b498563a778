import Foundation
import OperationFlowDurable
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

private struct BusyError: FlowRetryDelaying {
  let retryDelay: Duration?
}

/// Durations that are too long for any clock, negative, or as short as can be: none of them stops the program.
@Suite(.watched) struct ExtremeDurationTests {
  static let times: [Duration] = [
    .seconds(Int64.max), .seconds(UInt64.max), .nanoseconds(Int64.max), .zero, .seconds(-1), .seconds(Int64.min),
    .zero - .seconds(UInt64.max), Duration(secondsComponent: .max, attosecondsComponent: .max),
    Duration(secondsComponent: .min, attosecondsComponent: .min),
    Duration(secondsComponent: 0, attosecondsComponent: 1), Duration(secondsComponent: 0, attosecondsComponent: -1),
  ]

  /// Flows with a limit of this duration, which don't wait for its end if that is far away.
  private static let limits: [(name: String, make: @Sendable (Duration) -> Flow)] = [
    ("deadline", { flow().deadline($0) }),
    ("quietWarning", { flow().quietWarning(after: $0) }),
    ("timeout", { flow(.timeout($0)) }),
    ("timeout of all", { flow(.timeout($0, of: .allAttempts)) }),
    ("abandoningAfter", { flow(.timeout(.seconds(60), abandoningAfter: $0)) }),
    ("undo", { flow(.undo(timeout: $0) { _ in }).add("fail") { _ in throw TestError() } }),
    ("limiter", { flow(.limited(by: FlowLimiter(starts: 9, per: $0))) }),
    ("retry", { flow(.retry(.attempts(3, delay: $0))) }),
  ]

  /// Flows that wait for this duration, which a manual clock skips.
  private static let waits: [(name: String, make: @Sendable (Duration) throws -> Flow)] = [
    ("retry", { flow(.retry(.attempts(2, delay: $0)), failing: 1) }),
    ("exponential", { flow(.retry(.exponential(attempts: 3, first: $0, limit: $0)), failing: 2) }),
    ("limit", { flow(.retry(.exponential(attempts: 1_100, first: .zero, limit: $0)), failing: 1_099) }),
    ("retryDelay", { flow(.retry(.attempts(2)), failing: 1, with: BusyError(retryDelay: $0)) }),
    (
      "undo",
      { flow(.undo(retry: .attempts(2, delay: $0)) { _ in throw TestError() }).add("fail") { _ in throw TestError() } }
    ),
    ("timeout", { try flow().injecting(FlowFaults().hanging("work")).deadline($0) }),
    ("fault", { try flow().injecting(FlowFaults().delaying("work", by: $0).delaying("work", by: $0)) }),
  ]

  private static func flow(
    _ traits: StepTrait<FlowStep.Repeatable>..., failing count: Int = 0, with error: any Error = TestError()
  ) -> Flow {
    var flow = Flow("Extreme")
    let options = StepOptions(traits)
    flow = flow.add("work", .closure(.sync { if $0.attempt <= count { throw error } }), options, nil)
    return flow
  }

  private func expectEnd(_ outcome: FlowOutcome, _ name: String, _ time: Duration) {
    // An invalid time is an error, and a limit that is too short may be exceeded.
    let known: Set<FlowError.Code> = [
      .invalidTimeout, .invalidRetry, .invalidLimit, .timedOut, .deadlineExceeded,
    ]
    let isExpected = outcome.isSuccess || outcome.error is TestError || outcome.code.map(known.contains) == true
    #expect(isExpected, "\(name) \(time): \(outcome)")
  }

  @Test(arguments: times) func `a limit of a run ends nothing but what it limits`(time: Duration) async {
    for (name, make) in Self.limits {
      expectEnd(await make(time).run(), name, time)
      expectEnd(await make(time).clock(SuspendingClock()).run(), name, time)
      expectEnd(await make(time).run(on: ManualClock()), name, time)
    }
  }

  @Test(arguments: times) func `a delay ends when its time has passed`(time: Duration) async {
    for (name, make) in Self.waits {
      // The delay of a fault is checked when the fault is injected.
      guard let flow = try? make(time) else {
        #expect(name == "fault" && time < .zero)
        continue
      }
      expectEnd(await flow.run(on: ManualClock()), name, time)
    }
  }

  @Test(arguments: times) func `a delay on the system's clock can be cancelled`(time: Duration) async throws {
    for (_, make) in Self.waits.prefix(4) {
      let run = try make(time).start()
      for await event in run.events where event.isRetried { break }
      run.cancel()
      _ = await run.outcome
    }
  }

  @Test(arguments: times) func `a durable run doesn't wait for its writes at the end`(time: Duration) async {
    let store = MemoryFlowStore()
    let flow = Flow("Grouped").add("a") { _ in }.add("b") { _ in await Task.yield() }
      .add("again", .retry(.attempts(2))) { if $0.attempt == 1 { throw BusyError(retryDelay: min(time, .zero)) } }
    let outcome = await flow.run(id: "grouped", in: store, durability: .grouped(within: time))
    #expect(outcome.isSuccess)
  }

  @Test(arguments: times) func `a manual clock goes as far as it can`(time: Duration) async {
    let clock = ManualClock()
    for _ in 0..<40 { await clock.advance(by: time) }
    #expect(clock.now.offset >= .zero && clock.now.offset <= .seconds(Int64.max))
    var moment = ManualClock.Instant(offset: time)
    moment.offset += time.clamped()
    #expect(moment.advanced(by: time).duration(to: moment) <= .seconds(UInt64.max))
    let outcome = await Flow().add("a", .timeout(.seconds(5))) { _ in }.run(on: clock)
    // A clock at its last moment has no time left for a timeout.
    expectEnd(outcome, "manual clock", time)
    #expect(!outcome.report.summary(style: .detailed).isEmpty && !outcome.report.record.events.isEmpty)
  }

  @Test func `times that are waited for are from zero to 100 years`() {
    #expect(Duration.seconds(5).clamped() == .seconds(5))
    for time in Self.times {
      let clamped = time.clamped()
      #expect(clamped == (time > .longest ? .longest : time < .zero ? .zero : time))
      #expect(!DurationText.of(time).isEmpty)
      #expect(time.microsecondCount < 0 ? time < .zero : time > .zero - .microseconds(1))
    }
    #expect(Duration.seconds(UInt64.max).microsecondCount == .max)
    #expect((.zero - Duration.seconds(UInt64.max)).microsecondCount == .min)
  }

  @Test func `numbers of seconds that are too large count as large ones`() {
    for seconds in [1e300, .infinity, 1e13] { #expect(Duration.clamping(seconds: seconds) == .seconds(1e12)) }
    #expect(Duration.clamping(seconds: -.infinity) == .seconds(-1e12))
    #expect(Duration.clamping(seconds: .nan) == .zero && Duration.clamping(seconds: 0.5) == .milliseconds(500))
  }

  @Test func `numbers of seconds that are read are as exact as nanoseconds`() {
    for count in 1...2_000 {
      #expect(Duration.clamping(seconds: Double(count) / 1_000) == .milliseconds(count))
      #expect(Duration.clamping(seconds: -Double(count) * 3_600) == .seconds(-count * 3_600))
    }
  }

  @Test func `a delay between two attempts is as exact as it is written`() async {
    for delay in [Duration.milliseconds(9), .seconds(46_800), .nanoseconds(1), .seconds(1) / 3] {
      for policy in [
        FlowRetryPolicy.attempts(3, delay: delay),
        .exponential(attempts: 3, first: delay, factor: 1, limit: .seconds(50_000), jitter: 0),
      ] {
        let flow = Flow().add("a", .retry(policy)) { if $0.attempt < 3 { throw TestError() } }
        #expect(await flow.run(on: ManualClock()).report.duration == delay * 2, "\(delay)")
      }
      let limited = FlowRetryPolicy.exponential(attempts: 4, first: .seconds(1), factor: 1e6, limit: delay, jitter: 0)
      let flow = Flow().add("a", .retry(limited)) { if $0.attempt < 4 { throw TestError() } }
      #expect(await flow.run(on: ManualClock()).report.duration == min(delay, .seconds(1)) + delay * 2)
    }
  }

  @Test func `a run on a clock whose date is none has a record`() async throws {
    for number in [Double.infinity, -.infinity, .nan, 1e300] {
      let clock = ManualClock(startingAt: Date(timeIntervalSinceReferenceDate: number))
      let flow = Flow().add("a", .retry(.attempts(2, delay: .seconds(3)))) { if $0.attempt == 1 { throw TestError() } }
      let record = await flow.quietWarning(after: .seconds(1)).run(on: clock).report.record
      #expect(try JSONDecoder().decode(FlowRecord.self, from: JSONEncoder().encode(record)).events.count > 3)
    }
  }
}
