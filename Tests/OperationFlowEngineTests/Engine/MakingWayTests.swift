import TestSupport
import Testing

@testable import OperationFlow

@Suite(.heavy) struct MakingWayTests {
  /// Notes 16 ends, and that lanes had to wait before as many of them.
  private static func note(_ count: UInt32, in contention: inout LaneContention) {
    contention = LaneContention()
    for index in UInt32(1)...16 { contention.note(min(index, count)) }
  }

  private static func withState<Result>(_ context: FlowContext, _ body: (inout RunState) -> Result) -> Result? {
    (context.host as? RunEngine)?.state.withLock(body)
  }

  @Test func `contention is high if lanes had to wait at more than half of the last 16 ends`() {
    for count in UInt32(0)...16 {
      var contention = LaneContention()
      Self.note(count, in: &contention)
      #expect(contention.isHigh == (count > 8))
      for _ in 0..<16 { contention.note(count) }
      #expect(!contention.isHigh, "What is older counts no more.")
    }
  }

  @Test func `a lane that makes way comes back, also if the others are blocked by what it left`() async throws {
    let (opened, rested) = (Gate(), Tally())
    let outcome = await Flow()
      .forEach(in: 0..<5, width: 2) { item, context in
        switch item {
        case 0: opened.pass()
        case 1: _ = Self.withState(context) { Self.note(16, in: &$0.contention) }
        case 2: if Self.withState(context, { $0.contention.isHigh }) == false { rested.add() }
        case 4: opened.open()
        default: break
        }
      }.run()
    #expect(outcome.isSuccess)
    #expect(rested.count == 1)
  }

  @Test func `the only lane at work never makes way`() {
    var state = RunState.atItems(count: 100, width: 10)
    for runningCount in 1...3 {
      let offer = state.machine.claim()
      let pendingCount = state.pendingLaneCount
      Self.note(16, in: &state.contention)
      let (first, second) = (state.makesWay(), state.makesWay())
      #expect(offer != nil)
      #expect(first == (runningCount > 1) && !second)
      #expect(state.pendingLaneCount == pendingCount + (first ? 1 : 0))
    }
  }

  @Test func `lanes that meet all the time run each item once, and leave the outputs in order`() async {
    let outcome = await Flow()
      .forEach(in: 0..<2_000, into: "outputs" as FlowKey<[Int]>, width: 4) { item, context in
        if item % 20 == 0 { _ = Self.withState(context) { Self.note(16, in: &$0.contention) } }
        return item
      }.run()
    #expect(outcome.report["outputs" as FlowKey<[Int]>] == Array(0..<2_000))
  }
}
