import Foundation
import OperationFlow
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

  @Test func `the error of an item is described once, whatever reads the record`() async {
    let count = Count()
    let outcome = await Flow("items").forEach(in: 0..<20, width: 4, tolerating: .all) { _, _ in
      throw Counted(count: count)
    }.run()
    for _ in 0..<3 {
      _ = (outcome.report.record, outcome.report.summary, outcome.report.summary(style: .brief))
      #expect(outcome.report.itemFailures.allSatisfy { "\($0)".contains("failed with counted") })
    }
    #expect(count.number == 20)
  }

  @Test func `the error that a run fails with within groups and branches is described once`() async {
    let count = Count()
    let outcome = await Flow("nested").add(
      flow: Flow("inner").forEach(in: 0..<1) { _, _ in throw Counted(count: count) }
    ).run()
    #expect(outcome.report.summary(style: .brief).contains("  counted\n"))
    #expect(outcome.failure?.description.hasSuffix("counted") == true)
    _ = (outcome.report.record, outcome.report.summary)
    #expect(count.number == 1)
  }

  @Test func `the error of an undo is described once`() async {
    let count = Count()
    let outcome = await Flow("undo")
      .add("book", .undo { _ in throw Counted(count: count) }) { _ in }
      .add("pay") { _ in throw TestError() }
      .run()
    _ = (outcome.report.record, outcome.report.summary, outcome.report.undos.map(\.description))
    #expect(outcome.report.undos.map(\.description) == ["[book] could not be undone: counted"])
    #expect(count.number == 1)
  }

  @Test func `the error that a step recovers from is described once`() async {
    let count = Count()
    let outcome = await Flow("recover")
      .add("book", .recover { _, _ in }) { _ in throw Counted(count: count) }
      .run()
    _ = (outcome.report.record, outcome.report.summary)
    #expect(outcome.report.recoveries.map(\.description) == ["[book] recovered from counted"])
    #expect(outcome.isSuccess && count.number == 1)
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
    // An attempt, three items, what is recovered from, the failure, the undo and the end.
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
