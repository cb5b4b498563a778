import Foundation
import OperationFlow
import OperationFlowObservation
import OperationFlowReports

extension FlowKey where Value == String {
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
}
extension FlowKey where Value == [Int] {
  fileprivate static var invoices: Self { "invoices" }
}

private struct BankIsClosed: Error, CustomStringConvertible {
  var description: String { "the bank is closed" }
}

/// Watches a run while it is running, and writes files that people and tools can read.
enum Watching {
  static func main() async throws {
    try await watch(writingTo: FileManager.default.temporaryDirectory.appending(component: "invoices"))
  }

  static func watch(writingTo folder: URL) async throws {
    let flow = Flow("Invoices")
      .set(.invoices, to: Array(1...200))
      .add("sign in", .writes(.token)) { $0[.token] = "sdaftadagasg" }
      .forEach(.invoices, width: 4, .reads(.token), .named("pay"), .retry(.attempts(2))) { invoice, context in
        if invoice == 50, context.attempt == 1 { throw BankIsClosed() }
      }

    let run = flow.start()
    // The events are those from the start, however late you ask for them, and end with the run.
    for await event in run.events {
      if case .finished(.withError(let error)) = event.kind, event.isRetried {
        print("event: \(event.source) has failed, and is tried again: \(error)")
      }
    }
    let report = try await run.outcome.get()
    print("progress: \(Int(run.progress.fractionCompleted * 100)) %")

    // A record contains texts, never values, so it can be stored and sent.
    let record = report.record
    let files: [(name: String, data: Data)] = [
      ("record.jsonl", try record.jsonLines()),
      ("page.html", Data(record.page.utf8)),
      ("diagram.mmd", Data(record.mermaid.utf8)),
      ("diagram.dot", Data(record.dot.utf8)),
      ("timeline.trace.json", record.traceEvents()),
      ("spans.json", record.openTelemetrySpans(serviceName: "invoices")),
      ("metrics.prom", Data(FlowMetrics(record).prometheusText.utf8)),
    ]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files { try file.data.write(to: folder.appending(component: file.name), options: .atomic) }
    print("reports: \(files.map(\.name).joined(separator: ", ")) in \(folder.path)")
  }
}
