import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct FlowMetricsTests {
  private func name(_ step: String) -> FlowMetrics.StepName {
    FlowMetrics.StepName(flow: "Publish", step: step)
  }

  @Test func `runs, steps and items are counted by their results`() throws {
    let metrics = FlowMetrics(try SampleRecords.fixed)
    #expect(metrics.runs["Publish"]?.states == [.failed: 1])
    #expect(metrics.steps[name("fetch")]?.states == [.succeeded: 1])
    #expect(metrics.steps[name("announce")]?.states == [.neverRan: 1])
    #expect(metrics.steps[name("announce")]?.durations.count == 0)
    #expect(metrics.items[name("upload")]?.states == [.succeeded: 2, .failed: 1])
    #expect(metrics.items[name("upload")]?.attempts == 4)
    #expect(metrics.items[name("upload")]?.durations.sum == .milliseconds(100 + 234 + 318))
    #expect(metrics.steps[name("target=web")] == nil)
  }

  @Test func `the sum of metrics is the metrics of all records`() async throws {
    let records = try await SampleRecords.all().map(\.record)
    let all = FlowMetrics(records)
    var (left, right) = (FlowMetrics(records[..<4]), FlowMetrics(records[4...]))
    left.merge(right)
    #expect(left == all)
    right.merge(FlowMetrics())
    #expect(right == FlowMetrics(records[4...]))
  }

  @Test func `a run that is under way isn't counted as a run`() throws {
    let metrics = FlowMetrics(try SampleRecords.live(SampleRecords.fixed, events: 14))
    #expect(metrics.runs.isEmpty)
    #expect(metrics.items[name("upload")]?.durations.count == 1)
  }

  @Test func `a duration is in the range of the first bound that isn't less`() {
    var histogram = FlowHistogram()
    for duration in [Duration.zero, .milliseconds(1), .microseconds(1_001), .seconds(3_600), .seconds(-1)] {
      histogram.add(duration)
    }
    #expect(histogram.counts.first == 3)
    #expect(histogram.counts[1] == 1)
    #expect(histogram.counts.last == 1)
    #expect(histogram.count == 5)
    #expect(histogram.sum == .microseconds(3_600_002_001))
  }

  @Test func `a sum that is too large stays at the most`() {
    var histogram = FlowHistogram()
    histogram.add(.seconds(Int64.max / 1_000_000))
    histogram.add(.seconds(Int64.max / 1_000_000))
    #expect(histogram.sum == .microseconds(Int64.max))
  }

  @Test func `a run that had ended before is counted as a run, and none of its steps`() async {
    let store = MemoryFlowStore()
    for _ in 0..<2 {
      let record = await Flow("Publish").add("fetch") { _ in }.run(id: "a", in: store).report.record
      #expect(FlowMetrics(record).runs["Publish"]?.states == [.succeeded: 1])
      #expect(FlowMetrics(record).steps[name("fetch")]?.states[.waiting] == nil)
      #expect(record.page.contains(">Succeeded</span>") && !record.page.contains("under way"))
    }
  }
}
