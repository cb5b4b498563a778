import TestSupport
import Testing

@testable import OperationFlow

/// Tests many threads that end one operation at the same moment.
@Suite(.heavy) struct StressTestsOfFinishing {
  @Test func `of finishes from many threads at once exactly one counts`() async {
    for _ in 0..<200 {
      let (held, isWaiting, nexts) = (Journal<BlockOp>(), Signal(), Counter())
      let run = Flow().step("op") {
        $0.startWithAsynchronous()
        held.append($0)
        isWaiting.fire()
      }.add("next") { _ in nexts.enter() }.start()
      await isWaiting.wait()
      guard let operation = held.entries.first else { return fail("it has not begun") }
      await atOnce(
        { operation.finishWithError(error: TestError(name: "1")) }, { operation.finishSuccessfully() },
        { operation.finishWithError(error: TestError(name: "2")) }, { operation.finishSuccessfully() })
      let outcome = await run.outcome
      #expect(RecordCheck(outcome).complaint == nil)
      let lines = outcome.report.lines
      let ends = lines.filter { $0.hasPrefix("[op] DidFinish: ") }
      #expect(ends.count == 1 && nexts.total == (outcome.isSuccess ? 1 : 0))
      #expect(ends.first == "[op] DidFinish: " + (outcome.error.map { "withError: \($0)" } ?? "successfully"))
      // The other finishes leave warnings while the run continues; after the run's end, nothing is recorded.
      #expect(lines.count { $0.hasPrefix("[op] warning: finished again") } <= 3)
    }
  }

  @Test func `of a finish and a cancel of each item at once, each item has one end`() async {
    for _ in 0..<50 {
      let (held, waiting) = (Journal<WorkOp>(), Tally())
      let work = Work {
        $0.startWithAsynchronous()
        held.append($0)
        waiting.add()
      }
      let run = Flow.group(Array(repeating: work, count: 8), width: 8, allowFailure: true).start()
      await waiting.reach(8)
      let items = held.entries
      await atOnce(
        { for item in items { item.finishSuccessfully() } }, { for item in items.reversed() { item.cancel() } },
        { for item in items { item.finishWithError(error: TestError()) } })
      let outcome = await run.outcome
      #expect(outcome.isSuccess && RecordCheck(outcome).complaint == nil)
      let ends = outcome.report.events.filter { if case .finished = $0.kind { $0.source.item != nil } else { false } }
      #expect(ends.count == 8 && Set(ends.map(\.source)).count == 8)
      let failures = ends.count { $0.kind != .finished(.successfully) }
      #expect(outcome.report.itemFailures.count == failures)
    }
  }
}
