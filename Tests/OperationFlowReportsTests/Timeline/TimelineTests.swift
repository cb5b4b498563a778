import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched)
struct TimelineTests {
  @Test func `every span is within its parent in time`() async throws {
    for (name, record) in try await SampleRecords.all() {
      let spans = Timeline(record).spans
      for (index, span) in spans.enumerated() {
        #expect(span.begin <= span.end, "\(name)")
        guard let parent = span.parent else {
          #expect(index == 0)
          continue
        }
        #expect(parent < index, "\(name)")
        #expect(spans[parent].begin <= span.begin && span.end <= spans[parent].end, "\(name): \(span)")
      }
    }
  }

  @Test func `a step that never ran has no span, and a branch that was taken has one`() throws {
    let names = Set(try Timeline(SampleRecords.fixed).spans.map(\.name))
    #expect(
      names == [
        "Publish", "fetch", "Cases", "target=web", "resize", "upload", "upload #1", "upload #2", "upload #3",
        "undo fetch", "Clean up", "close",
      ])
  }

  @Test func `attempts are kept with their ends, and back-off is between them`() throws {
    let spans = try Timeline(SampleRecords.fixed).spans
    let item = try #require(spans.first { $0.name == "upload #3" })
    #expect(item.attempts.map(\.number) == [1, 2])
    #expect(item.attempts.compactMap(\.begin).map { $0 - spans[0].begin } == [266_000, 540_000])
    #expect(item.attempts.compactMap { $0.end }.map { $0 - spans[0].begin } == [340_000, 584_000])
    #expect(item.state == .failed)
  }

  @Test func `what is open in a run that is under way ends with the last event`() async throws {
    // The item waits for its second attempt. The first one failed before the last event.
    let record = try SampleRecords.live(SampleRecords.fixed, events: 16)
    let spans = Timeline(record).spans
    let last = try #require(record.events.last).date.microseconds
    let item = try #require(spans.first { $0.name == "upload #3" })
    #expect(item.state == .running && item.end == last)
    #expect(spans[0].end == last)
  }

  @Test func `on one lane, spans are within each other or apart`() async throws {
    for (name, record) in try await SampleRecords.all() {
      let spans = Timeline(record).spans
      expectNesting(spans, TimelineLanes(spans), name)
    }
  }

  @Test(arguments: 0..<20)
  func `random spans have as few lanes as there are spans at once`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var spans = [Timeline.Span(subject: .run, parent: nil, name: "", begin: 0, end: 1_000)]
    for index in 0..<100 {
      let begin = Int64(random.below(1_000))
      spans.append(
        Timeline.Span(
          subject: .item(0, index: index), parent: 0, name: "", begin: begin,
          end: min(1_000, begin + Int64(random.below(100)))))
    }
    let lanes = TimelineLanes(spans)
    expectNesting(spans, lanes, "seed \(seed)")
    let most =
      (0...Int64(1_000)).map { time in
        spans.dropFirst().count { $0.begin <= time && (time < $0.end || time == $0.begin) }
      }.max() ?? 0
    // Items without a duration may share a lane, and one item at a time is on the lane of the run.
    #expect(lanes.count <= most + 1)
  }

  private func expectNesting(_ spans: [Timeline.Span], _ lanes: TimelineLanes, _ name: String) {
    var open = [[Timeline.Span]](repeating: [], count: lanes.count)
    for index in spans.indices.sorted(by: { (spans[$0].begin, $0) < (spans[$1].begin, $1) }) {
      let (span, lane) = (spans[index], lanes.lanes[index])
      open[lane].removeAll { $0.end <= span.begin && $0.end < span.end || $0.end < span.begin }
      #expect(open[lane].allSatisfy { span.end <= $0.end }, "\(name): \(span.name) on \(lane)")
      open[lane].append(span)
    }
  }

  @Test func `what the record has left the end of has no end, and the run ends without later notes`() throws {
    let timeline = try Timeline(SampleRecords.leftOut)
    let spans = timeline.spans
    func span(_ name: String) throws -> Timeline.Span { try #require(spans.first { $0.name == name }) }
    #expect(!spans.contains { $0.name == "photos #1" || $0.name == "undo photos #1" })
    #expect(timeline.moments.map(\.name) == ["photos #1", "undo photos #1"])
    #expect(timeline.moments.map(\.time) == [0, 5_100] && timeline.moments.allSatisfy { $0.finish == nil })
    #expect(timeline.moments.map { spans[$0.owner].name } == ["photos", "Left out"])
    #expect(try span("photos").end == 1_000 && span("long").end == 5_000)
    #expect(try span("undo photos #2").end == 5_300)
    #expect(spans[0].end == 6_000)
    #expect(!spans.contains { $0.state == .running })
  }

  @Test func `an item whose first attempt the record has left out has no span, but moments`() throws {
    let text = String(decoding: try SampleRecords.leftOut.jsonLines(), as: UTF8.self)
      .replacingOccurrences(of: #""item":11"#, with: #""attempt":2,"item":11"#)
    let timeline = Timeline(try FlowRecord(jsonLines: Data(text.utf8)))
    #expect(!timeline.spans.contains { $0.name == "photos #12" })
    #expect(timeline.moments.filter { $0.name == "photos #12" }.map(\.time) == [800, 900])
  }

  @Test func `what an undo logs and writes is its own, and makes no step longer`() async throws {
    let flow = Flow("Trip")
      .add(flow: Flow("inner").add("book", .undo { $0.log("released") }) { _ in })
      .add("fails") { _ in throw CancellationError() }
    let record = await flow.run().report.record
    let timeline = Timeline(record)
    let logged = try #require(record.events.firstIndex { $0.kind == .logged("released", .info) })
    #expect(timeline.spans[timeline.owners[logged]].name == "undo book")
    let finished = try #require(record.events.first { $0.source.name == "inner" && $0.kind != .started })
    let inner = try #require(timeline.spans.first { $0.name == "inner" })
    #expect(inner.end == finished.date.microseconds)
  }

  @Test func `the run contains what a damaged record has before its start`() throws {
    let text = SampleRecords.version1.replacing("1767225600001000", with: "1767225599000000")
    let record = try FlowRecord(jsonLines: Data(text.utf8))
    let spans = Timeline(record).spans
    #expect(spans[0].begin == 1_767_225_599_000_000 && spans.allSatisfy { $0.begin >= spans[0].begin })
    #expect(!record.traceEvents().isEmpty)
  }
}
