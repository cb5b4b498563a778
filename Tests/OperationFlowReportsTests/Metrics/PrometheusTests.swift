import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct PrometheusTests {
  @Test func `each bucket of a histogram contains those before it`() {
    let records = [1, 20].map { time in
      FlowRecord(
        flowName: "f", steps: [], events: [],
        ending: FlowRecord.Ending(result: .succeeded, duration: .milliseconds(time), text: ""))
    }
    let lines = FlowMetrics(records).prometheusText.split(separator: "\n")
    for (bound, count) in [("0.001", 1), ("0.01", 1), ("0.025", 2), ("1800", 2)] {
      #expect(lines.contains("flow_run_duration_seconds_bucket{flow=\"f\",le=\"\(bound)\"} \(count)"))
    }
  }

  @Test func `counters and histograms are written with their labels`() throws {
    let lines = FlowMetrics(try SampleRecords.fixed).prometheusText.split(separator: "\n")
    #expect(lines.contains("# TYPE flow_runs_total counter"))
    #expect(lines.contains("flow_runs_total{flow=\"Publish\",result=\"failed\"} 1"))
    #expect(lines.contains("flow_items_total{flow=\"Publish\",step=\"upload\",state=\"succeeded\"} 2"))
    #expect(lines.contains("flow_run_duration_seconds_sum{flow=\"Publish\"} 0.7"))
    #expect(lines.contains("flow_run_duration_seconds_bucket{flow=\"Publish\",le=\"0.5\"} 0"))
    #expect(lines.contains("flow_run_duration_seconds_bucket{flow=\"Publish\",le=\"1\"} 1"))
    #expect(lines.contains("flow_run_duration_seconds_bucket{flow=\"Publish\",le=\"+Inf\"} 1"))
    #expect(lines.contains("flow_item_attempts_total{flow=\"Publish\",step=\"upload\"} 4"))
  }

  @Test func `every line is a comment or a sample, whatever the names are`() async throws {
    let records = try await SampleRecords.all().map(\.record)
    let text = FlowMetrics(records).prometheusText
    let sample = #/[a-z_]+\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\} [0-9.]+/#
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      #expect(
        line.wholeMatch(of: sample) != nil || line.wholeMatch(of: #/# (HELP|TYPE) [a-z_]+ .*/#) != nil, "\(line)")
    }
    #expect(text.hasSuffix("\n"))
    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
  }

  @Test func `the same metrics make the same text`() async throws {
    let records = try await SampleRecords.all().map(\.record)
    #expect(FlowMetrics(records).prometheusText == FlowMetrics(records.reversed()).prometheusText)
  }

  @Test func `names that differ in control characters are counted together, so that no sample is there twice`() async {
    var metrics = FlowMetrics()
    for name in ["a\tb", "a b", "a\u{2028}b", "a\u{1}b"] {
      metrics.add(await Flow(name).forEach(in: [1], .named(name)) { _, _ in }.run().report.record)
    }
    let samples = metrics.prometheusText.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(samples.contains(#"flow_steps_total{flow="a b",step="a b",state="succeeded"} 4"#))
    #expect(Set(samples.map { $0.prefix { $0 != "}" } }).count == samples.count)
    #expect(metrics.runs["a b"]?.states == [.succeeded: 4])
    #expect(metrics.steps[FlowMetrics.StepName(flow: "a\tb", step: "a\tb")]?.states == [.succeeded: 4])
  }
}
