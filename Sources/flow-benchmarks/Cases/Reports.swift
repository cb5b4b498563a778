import Foundation
import OperationFlow
import OperationFlowReports

extension Benchmark {
  /// The reports of a record; each event of a record of 100,000 must not cost more than one of a small record.
  static let reports: [Benchmark] = [
    report("jsonLines()") { _ = try? $0.jsonLines() },
    report("FlowRecord(jsonLines:)", of: { (try? $0.jsonLines()) ?? Data() }) { _ = try? FlowRecord(jsonLines: $0) },
    report("mermaid") { keep($0.mermaid) },
    report("dot") { keep($0.dot) },
    report("traceEvents()") { keep($0.traceEvents()) },
    report("openTelemetrySpans()") { keep($0.openTelemetrySpans()) },
    report("FlowMetrics, prometheusText") { keep(FlowMetrics($0).prometheusText) },
    report("page") { keep($0.page) },
    report("summary") { keep($0.summary(style: .standard)) },
  ]

  private static func report(_ name: String, _ body: @escaping @Sendable (FlowRecord) -> Void) -> Benchmark {
    report(name, of: { $0 }, body)
  }

  /// Compares 100 reports of a small record with one of a record with as many events.
  private static func report<Value: Sendable>(
    _ name: String, of prepare: @escaping @Sendable (FlowRecord) -> Value,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> Benchmark {
    let values = Prepared(prepare)
    return Benchmark(
      name: "a record's \(name), for each event", unitCount: 100_000, baseline: "1,000 events",
      peers: [
        Peer("1,000 events") {
          let value = await values.value(1_000)
          for _ in 0..<100 { body(value) }
        },
        Peer("100,000 events", limit: 1.3) { body(await values.value(100_000)) },
      ])
  }

  /// The input of a benchmark, which is created once, when it is first needed.
  private actor Prepared<Value: Sendable> {
    private let prepare: @Sendable (FlowRecord) -> Value
    private var values: [Int: Value] = [:]

    init(_ prepare: @escaping @Sendable (FlowRecord) -> Value) { self.prepare = prepare }

    /// Returns the input for a record with this many events.
    func value(_ eventCount: Int) async -> Value {
      if let value = values[eventCount] { return value }
      let value = prepare(await record(eventCount))
      values[eventCount] = value
      return value
    }
  }
}

/// Returns a record of steps and of a group's items, half of the events each: beginnings, ends and log lines.
private func record(_ eventCount: Int) async -> FlowRecord {
  let count = eventCount / 6
  let flow = Flow("Report").recording(.everything)
  for index in 0..<count { flow.add("step \(index)") { $0.log("a line of some length") } }
  flow.forEach(in: 0..<count, width: 2) { _, context in context.log("a line of some length") }
  return await flow.run().report.record
}
