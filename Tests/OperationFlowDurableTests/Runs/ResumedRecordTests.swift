import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Reports of a resumed run about the steps that its journal restored.
@Suite(.watched) struct ResumedRecordTests {
  private let date = Date(timeIntervalSince1970: 1_000_000_000)

  /// Resumes a run after a number of settlements, all with the same date.
  private func resumed(_ make: () -> Flow, after count: Int, isFolded: Bool = false) async throws -> FlowOutcome {
    var entries = try (await make().cut(settled: count).journals["a"] ?? []).map { data in
      guard case .settled(var settlement) = try JournalEntry(data) else { return data }
      settlement.date = date
      return JournalEntry.settled(settlement).data
    }
    if isFolded { entries = try JournalCompaction.folded(entries, as: make()) }
    return await make().run(id: "a", in: MemoryFlowStore(["a": entries]), durability: .operatingSystem)
  }

  private func flow() -> Flow { Flow("Order").add("reserve") { _ in }.add("charge") { _ in }.add("ship") { _ in } }

  @Test func `a restored step says when it ended, and that this was before the resume, and no duration`() async throws {
    let report = try await resumed(flow, after: 2).report
    #expect(report.steps.map(\.beforeResume) == [.ended(date), .ended(date), nil])
    #expect(report.steps.map { $0.duration == nil } == [true, true, false])
    #expect(report.steps[0].description == "1. reserve: succeeded, ended earlier, at 2001-09-09T01:46:40Z")
    for text in [report.summary(style: .brief), report.summary(style: .detailed)] {
      let lines = text.split(separator: "\n").filter { $0.contains("ended earlier, at 2001-09-09T01:46:40Z") }
      #expect(lines.count == 2, "\(text)")
    }
  }

  @Test func `a saved record keeps what was before the resume`() async throws {
    let record = try await resumed(flow, after: 1).report.record
    #expect(record.steps.map(\.beforeResume) == [.ended(date), nil, nil] && record.steps[0].duration == nil)
    let again = try JSONDecoder().decode(FlowRecord.self, from: try JSONEncoder().encode(record))
    #expect(again == record)
  }

  @Test func `a record that hides values, or is deep, keeps what was before the resume`() async throws {
    let make = { self.flow().set(FlowKey<String>("password", sensitive: true), to: "hunter2 and more") }
    #expect(try await resumed(make, after: 1).report.record.steps.map(\.beforeResume) == [.ended(date), nil, nil])
    let deep = {
      (0..<40).reduce(Flow("inner").add("a") { _ in }.add("b") { _ in }) { inner, depth in
        Flow("\(depth)").add(flow: inner)
      }
    }
    let record = try await resumed(deep, after: 41).report.record
    #expect(record.steps.count { $0.beforeResume == .ended(date) } == 1)
    #expect(try JSONDecoder().decode(FlowRecord.self, from: try JSONEncoder().encode(record)) == record)
  }

  @Test func `a step whose entry has no time any longer says only that it was before the resume`() async throws {
    let report = try await resumed(flow, after: 2, isFolded: true).report
    #expect(report.steps.map(\.beforeResume) == [.ended(nil), .ended(nil), nil])
    let record = report.record
    #expect(try JSONDecoder().decode(FlowRecord.self, from: try JSONEncoder().encode(record)) == record)
  }

  @Test func `a step that had begun and goes on says so, and has no duration`() async throws {
    let make = { Flow("Order").add(flow: Flow("inner").add("a") { _ in }.add("b") { _ in }) }
    let steps = try await resumed(make, after: 2).report.steps
    #expect(steps.map(\.beforeResume) == [.began, .ended(date), nil])
    #expect(steps.map { $0.duration == nil } == [true, true, false])
    #expect(steps[0].description == "1. inner: succeeded, began earlier")
  }

  @Test func `a failure before the resume has no duration, and a skipped step was before it too`() async throws {
    let make = {
      Flow("Order").add("never", .when { _ in false }) { _ in }.add("fails") { _ in throw TestError(name: "a") }
        .always { $0.add("clean") { _ in } }
    }
    let report = try await resumed(make, after: 2).report
    #expect(
      report.failure?.duration == .zero && report.steps.prefix(2).map(\.beforeResume) == [.ended(date), .ended(date)])
  }

  @Test func `a resume that is refused claims of no step that it never ran`() async throws {
    let store = MemoryFlowStore()
    let refused = await flow().add("more") { _ in }.run(id: "a", in: try await flow().cut(settled: 2))
    #expect(refused.failure?.isRefusal == true && refused.report.steps.isEmpty && refused.report.record.steps.isEmpty)
    // The steps of a run that has not begun are known.
    let new = await Flow("Bad").add("one", .reads(FlowKey<String>("missing"))) { _ in }.run(id: "b", in: store)
    #expect(new.report.steps.map(\.end) == [.neverRan])
  }
}
