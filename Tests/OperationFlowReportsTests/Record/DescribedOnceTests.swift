import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct DescribedOnceTests {
  private final class Count: Sendable {
    let value = Locked(0)
    var number: Int { value.withLock { $0 } }
  }

  private struct Counted: Error, CustomStringConvertible {
    let count: Count
    var description: String {
      count.value.withLock { $0 += 1 }
      return "counted"
    }
  }

  /// Runs with errors, the number of these errors, and a text of the report that contains one.
  private static let flows: [(what: String, count: Int, text: String, make: @Sendable (Count) -> Flow)] = [
    (
      "items", 20, "failed with counted",
      { count in
        Flow().forEach(in: 0..<20, width: 4, tolerating: .all) { _, _ in throw Counted(count: count) }
      }
    ),
    (
      "a group in a flow", 1, "  counted\n",
      { count in Flow().add(flow: Flow("inner").forEach(in: 0..<1) { _, _ in throw Counted(count: count) }) }
    ),
    (
      "an undo", 1, "[book] could not be undone: counted",
      { count in
        Flow().add("book", .undo { _ in throw Counted(count: count) }) { _ in }
          .add("pay") { _ in throw TestError() }
      }
    ),
    (
      "a recovery", 1, "[book] recovered from counted",
      { count in Flow().add("book", .recover { _, _ in }) { _ in throw Counted(count: count) } }
    ),
  ]

  @Test(arguments: flows.indices) func `an error is described once, whatever reads the report`(index: Int) async {
    let (what, count, text, make) = Self.flows[index]
    let counted = Count()
    let report = await make(counted).run().report
    for _ in 0..<3 {
      _ = report.record
      var texts = [report.summary, report.summary(style: .brief), report.failure?.description ?? ""]
      texts += report.itemFailures.map(\.description) + report.undos.map(\.description)
      texts += report.recoveries.map(\.description)
      #expect(texts.contains { $0.contains(text) }, "\(what)")
    }
    #expect(counted.number == count, "\(what)")
  }

  @Test func `each error of a durable run is described once, also in its journal`() async throws {
    let (count, store) = (Count(), MemoryFlowStore())
    let flow = Flow("durable")
      .add("flaky", .retry(.attempts(2))) { if $0.attempt == 1 { throw Counted(count: count) } }
      .forEach(in: 0..<3, tolerating: .all) { _, _ in throw Counted(count: count) }
      .add("book", .undo { _ in throw Counted(count: count) }, .recover { _, _ in }) { _ in
        throw Counted(count: count)
      }
      .add("pay") { _ in throw Counted(count: count) }
      .always { $0.add("clean up") { _ in throw Counted(count: count) } }
    let outcome = await flow.run(id: "a", in: store)
    _ = (outcome.report.record, outcome.report.summary)
    #expect(outcome.error is Counted && outcome.report.undos.count == 1 && outcome.report.alwaysFailures.count == 1)
    // An attempt, three items, the recovered error, the failure, the undo and the end.
    #expect(count.number == 8)
    let again = await flow.run(id: "a", in: store)
    #expect((again.error as? FlowStoredError)?.description == "counted" && count.number == 8)
    #expect((again.error as? FlowStoredError)?.type == "Counted")
  }

  private final class RunBox: Sendable {
    let run = Locked<FlowRun?>(nil)
  }

  private struct Curious: CustomStringConvertible, Sendable {
    let box: RunBox
    var description: String {
      let record = box.run.withLock { $0 }?.record
      return "a value after \(record?.events.isEmpty == false)"
    }
  }

  @Test func `a value whose description reads the record of its own run is described`() async {
    let (box, key) = (RunBox(), FlowKey<Curious>("value"))
    let (isStored, store) = AsyncStream.makeStream(of: Void.self)
    let run = Flow("curious").add("write") { context in
      for await _ in isStored { break }
      context.update(key, default: Curious(box: box)) { $0 = Curious(box: box) }
    }.start()
    box.run.withLock { $0 = run }
    store.yield()
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.report.summary.contains("add for value: a value after true\n"))
  }
}
