import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched)
struct RandomRecordTests {
  @Test func `records of random runs survive being written, and every format of them can be read`() async throws {
    let (first, count) = (TestSettings.firstSeed(), UInt64(TestSettings.amount(10)))
    let all: Set = ["operation", "closure", "group", "cases", "branch", "flow", "parallel", "always"]
    var kinds: Set<String> = []
    // Continues until there was a step of every kind: ten flows may not have one of the rarest.
    for seed in first..<(first + count + 1_000) {
      if seed >= first + count, kinds.isSuperset(of: all) { break }
      var random = RandomReportFlow(seed: seed)
      let record = await random.make().run().report.record
      kinds.formUnion(record.steps.map(\.kind.name))
      let read = try FlowRecord(jsonLines: record.jsonLines())
      #expect(read == record, "seed \(seed)")
      #expect(read.summary(style: .standard) == record.summary(style: .standard), "seed \(seed)")
      #expect(read.mermaid == record.mermaid && read.dot == record.dot, "seed \(seed)")
      #expect(read.traceEvents() == record.traceEvents(), "seed \(seed)")
      #expect(read.openTelemetrySpans() == record.openTelemetrySpans(), "seed \(seed)")
      #expect(FlowMetrics(read) == FlowMetrics(record), "seed \(seed)")
      _ = try (ParsedMermaid(record.mermaid), ParsedGraph(record.dot))
      try expectTimes(record, "seed \(seed)")
    }
    #expect(kinds.isSuperset(of: all))
  }

  private func expectTimes(_ record: FlowRecord, _ name: String) throws {
    let spans = Timeline(record).spans
    for span in spans {
      guard let parent = span.parent.map({ spans[$0] }) else { continue }
      #expect(parent.begin <= span.begin && span.end <= parent.end, "\(name): \(span.name)")
    }
    for data in [record.traceEvents(), record.openTelemetrySpans()] { _ = try JSONSerialization.jsonObject(with: data) }
    // Every step that began has a span, and no other step has one.
    let begun = Set(record.events.compactMap { $0.kind == .started && $0.source.item == nil ? $0.step : nil })
    let drawn = Set(
      spans.compactMap { span in if case .step(let step) = span.subject { record.steps[step].id } else { nil } })
    #expect(begun.isSubset(of: drawn), "\(name)")
    let wrong = record.steps.filter { $0.state == .neverRan && drawn.contains($0.id) }
    #expect(wrong.isEmpty, "\(name)")
  }
}
