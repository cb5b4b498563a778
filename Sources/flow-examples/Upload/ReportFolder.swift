import Foundation
import OperationFlow
import OperationFlowReports

/// A folder of reports: for each run, its record, a page, its diagrams, and its timelines; and the metrics of all runs.
package struct ReportFolder {
  package let url: URL
  private var metrics = FlowMetrics()
  private var count = 0

  /// Creates the folder if it doesn't exist.
  package init(_ url: URL) throws(ReportError) {
    self.url = url
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw .notWritten(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Writes the reports of a run; files of the same names are replaced.
  package mutating func add(_ record: FlowRecord, named name: String) throws {
    count += 1
    let number = count < 10 ? "0\(count)" : "\(count)"
    let base =
      number + "-" + name.lowercased().split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    try write(record.jsonLines(), base + ".jsonl")
    try write(Data(record.page.utf8), base + ".html")
    try write(Data(record.mermaid.utf8), base + ".mmd")
    try write(Data(record.dot.utf8), base + ".dot")
    try write(record.traceEvents(), base + ".trace.json")
    try write(record.openTelemetrySpans(serviceName: "flow-examples"), base + ".spans.json")
    metrics.add(record)
  }

  /// Writes the metrics of all runs.
  package func finish() throws { try write(Data(metrics.prometheusText.utf8), "metrics.prom") }

  private func write(_ data: Data, _ name: String) throws(ReportError) {
    let file = url.appendingPathComponent(name)
    do {
      try data.write(to: file, options: .atomic)
    } catch {
      throw .notWritten(path: file.path, reason: error.localizedDescription)
    }
  }
}

/// An error of writing or reading reports.
package enum ReportError: Error, Hashable, CustomStringConvertible {
  case notWritten(path: String, reason: String)
  case notRead(path: String, reason: String)

  package var description: String {
    switch self {
    case .notWritten(let path, let reason):
      "The report \(path) was not written: \(reason) Name a folder that you may write to."
    case .notRead(let path, let reason): "The record \(path) was not read: \(reason)"
    }
  }
}
