import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Compares the samples of `Docs/Reports.md` and of the folder `Samples` with the output of the code.
///
/// Set `OPERATIONFLOW_UPDATE_DOCS=1` to write them again.
@Suite(.watched)
struct ReportsDocumentTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Docs/Reports.md")

  private static let formats = file.deletingLastPathComponent().appendingPathComponent("Reference/RecordFormat.md")

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(component: "Samples")

  /// Returns the samples by the names of their marks.
  private static func samples() throws -> [String: String] {
    let (fixed, small) = (try SampleRecords.fixed, try FlowRecord(jsonLines: Data(SampleRecords.small.utf8)))
    let spans = try JSONSerialization.jsonObject(with: small.openTelemetrySpans(serviceName: "greeter"))
    let pretty = try JSONSerialization.data(
      withJSONObject: spans, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    func summary(_ form: FlowSummaryStyle.Form) -> String {
      fixed.summary(style: FlowSummaryStyle(form: form, timeStyle: .milliseconds, timeZone: .gmt))
    }
    return [
      "summary": summary(.events), "summary-brief": summary(.brief(lineLimit: 24)),
      "summary-detailed": summary(.detailed),
      "json-lines": String(decoding: try small.jsonLines(), as: UTF8.self), "mermaid": fixed.mermaid,
      "mermaid-before": SampleFlows().everyKind.blueprint.mermaid,
      "dot": small.dot, "trace": String(decoding: small.traceEvents(), as: UTF8.self),
      "spans": String(decoding: pretty, as: UTF8.self) + "\n", "metrics": FlowMetrics(small).prometheusText,
    ]
  }

  @Test func `the samples of the document are what the code makes`() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let samples = try Self.samples()
    var (updated, found) = ([Substring](), Set<String>())
    var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.popFirst() {
      updated.append(line)
      guard let mark = line.wholeMatch(of: #/<!-- sample: ([a-z-]+) -->/#), let sample = samples[String(mark.1)] else {
        continue
      }
      found.insert(String(mark.1))
      // The first line of the block stays, and everything up to its last line is replaced.
      if let fence = rest.popFirst() { updated.append(fence) }
      rest = rest.drop { $0 != "```" }
      updated += sample.split(separator: "\n")
    }
    // The longer samples are files beside the tests.
    for (name, sample) in samples where !found.contains(name) {
      let file = Self.folder.appending(component: name + ".txt")
      if ProcessInfo.processInfo.environment["OPERATIONFLOW_UPDATE_DOCS"] == "1" {
        try sample.write(to: file, atomically: true, encoding: .utf8)
      }
      let lines = sample.split(separator: "\n")
      #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n") == lines, "\(name)")
      found.insert(name)
    }
    let current = updated.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["OPERATIONFLOW_UPDATE_DOCS"] == "1" {
      try current.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      #expect(text == current, "Run the tests with OPERATIONFLOW_UPDATE_DOCS=1 to write the samples again.")
    }
    #expect(found == Set(samples.keys))
  }

  @Test func `the description of the format lists all options and states`() throws {
    let lines = try String(contentsOf: Self.formats, encoding: .utf8).split(separator: "\n")
    for (field, names) in [
      ("options", FlowRecord.Option.allCases.map(\.rawValue)), ("state", FlowRecord.State.allCases.map(\.rawValue)),
    ] {
      let line = try #require(lines.first { $0.hasPrefix("| `\(field)` |") })
      for name in names { #expect(line.contains("`\(name)`"), "\(field)") }
    }
  }

  /// Runs the code of the document.
  @Test func `a record is saved, read and counted as the document shows`() async throws {
    let flow = SampleFlows().everyKind
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("run.jsonl")

    let outcome = await flow.run()
    try outcome.report.record.jsonLines().write(to: file)

    let record = try FlowRecord(jsonLines: Data(contentsOf: file))
    print(record.summary(style: .standard))
    #expect(record == outcome.report.record)

    var metrics = FlowMetrics()
    metrics.add(outcome.report.record)
    print(metrics.prometheusText)
    #expect(metrics == FlowMetrics(record))
  }
}
