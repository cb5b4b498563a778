import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Writes files for the checks with other tools, in the folder `OPERATIONFLOW_REPORT_SAMPLES`.
@Suite(.watched)
struct SampleFilesTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["OPERATIONFLOW_REPORT_SAMPLES"] != nil))
  func `the samples are written`() async throws {
    let folder = URL(
      fileURLWithPath: ProcessInfo.processInfo.environment["OPERATIONFLOW_REPORT_SAMPLES"] ?? "", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ data: Data) throws { try data.write(to: folder.appendingPathComponent(name)) }
    for (name, record) in try await SampleRecords.all() {
      try write("\(name).jsonl", record.jsonLines())
      try write("\(name).mmd", Data(record.mermaid.utf8))
      try write("\(name).dot", Data(record.dot.utf8))
      try write("\(name).trace.json", record.traceEvents())
      try write("\(name).otlp.json", record.openTelemetrySpans())
      try write("\(name).prom", Data(FlowMetrics(record).prometheusText.utf8))
    }
    let flows = [("plain", SampleFlows()), ("nasty", SampleFlows(naming: SampleRecords.nasty))]
    for (name, flows) in flows {
      for (kind, flow) in [("every-kind", flows.everyKind), ("failing", flows.failing), ("open", flows.openCases)] {
        try write("\(name)-\(kind)-before.mmd", Data(flow.blueprint.mermaid.utf8))
        try write("\(name)-\(kind)-before.dot", Data(flow.blueprint.dot.utf8))
      }
    }
    try write("all.prom", Data(FlowMetrics(try await SampleRecords.all().map(\.record)).prometheusText.utf8))
  }
}
