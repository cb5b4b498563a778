import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched)
struct PageTimelineTests {
  private func timeline(_ record: FlowRecord) -> PageTimeline { PageTimeline(record, StepTree(record)) }

  @Test func `no two pieces of work share a row at a time`() async {
    for record in [await PageSamples.album().report.record, await PageSamples.running()] {
      let timeline = timeline(record)
      for (_, spans) in Dictionary(grouping: timeline.spans, by: \.row) {
        let sorted = spans.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        for (before, after) in zip(sorted, sorted.dropFirst()) {
          let names = "\(record.steps[before.step].name) \(before), \(record.steps[after.step].name) \(after)"
          #expect(before.end <= after.start, "\(names)")
        }
      }
      #expect(timeline.spans.allSatisfy { $0.row < timeline.rowCount && $0.start <= $0.end })
    }
  }

  @Test func `the critical path takes the longest branch and the last item's lane`() async throws {
    let record = try FlowRecord(jsonLines: Data(Self.branches.utf8))
    let timeline = timeline(record)
    let critical = Set(timeline.spans.filter(\.isCritical).map { record.steps[$0.step].name })
    #expect(critical == ["first", "both", "long", "wait", "late"])
    #expect(timeline.parts.steps.map { record.steps[$0.step].name } == ["late", "wait", "first"])
    #expect(timeline.parts.steps.map(\.duration) == [400, 200, 100])
    // Nothing runs beside the group, so nothing could end later.
    let group = await Flow("Group").forEach(in: 0..<12, width: 3) { number, _ in
      try await PageSamples.pause(number % 4)
    }.run().report.record
    let items = self.timeline(group).spans.filter { $0.item != nil }
    let last = try #require(items.map(\.end).max())
    let lanes = Set(items.filter(\.isCritical).map(\.row))
    #expect(lanes.count == 1 && items.contains { $0.isCritical && $0.end == last })
  }

  @Test func `the parts of the critical path add up to the run, with its waits and its delays`() async throws {
    let nightly = timeline(try PageSamples.nightly())
    #expect(nightly.parts.steps.map(\.duration).reduce(0, +) == 5_991_000_000 && nightly.parts.rest == 5_000_000)
    let retried = await Flow("Retried").add("a", .retry(.attempts(3, delay: .milliseconds(2)))) { context in
      if context.attempt < 3 { throw PageSamples.TextError(description: "no") }
    }.wait(.milliseconds(1)).run().report.record
    for timeline in [nightly, timeline(retried), timeline(await PageSamples.album().report.record)] {
      let parts = timeline.parts
      let worked = parts.steps.map(\.duration).reduce(0, +)
      #expect(worked + parts.waits + parts.delays + parts.undos + parts.rest == timeline.end)
    }
    let undone = timeline(try await PageSamples.resumed()).parts
    #expect(undone.undos > 0 && undone.steps.count == 1)
    let parts = timeline(retried).parts
    #expect(parts.delays >= 4_000 && parts.waits >= 1_000 && parts.steps.count == 1)
  }

  @Test func `each step that has begun has a row of its own, in the order of the flow`() async throws {
    let timeline = timeline(try PageSamples.nightly())
    #expect(timeline.rows.dropLast() == [0, 1, 2, 3, 4, 5] && timeline.rowCount == 6)
  }

  @Test func `each attempt is a piece of its own, and an undo another`() async {
    let record = await PageSamples.album().report.record
    let spans = timeline(record).spans.filter { record.steps[$0.step].name == "sign in" }
    #expect(spans.map(\.attempt).prefix(2) == [1, 2] && spans.map(\.isUndo) == [false, false, true])
    #expect(spans.map(\.state) == [.failed, .succeeded, .succeeded])
  }

  @Test func `the bucket before an event has what was written until then`() async throws {
    let record = await PageSamples.album().report.record
    let written = try #require(
      record.events.firstIndex {
        if case .replaced("pages", _, _) = $0.kind { true } else { false }
      })
    #expect(PageBucket(record.events, before: written).texts.text(of: "pages") == "4")
    let after = PageBucket(record.events, before: written + 1)
    #expect(after.texts.text(of: "pages") == "5" && after.writers["pages"] == record.events[written])
    #expect(PageBucket(record.events, before: 1).texts.text(of: "pages") == "missing")
    // An event that was left out may have written anything.
    let known = PageBucket(record.events[...written].dropLast(2) + [record.events[written]], before: written)
    #expect(known.texts.text(of: "pages") == "5" && known.texts.text(of: "title") == nil)
  }

  @Test func `counts have a comma after each thousand`() {
    #expect([1, 1_000, 1_234_567].map(PageText.grouped) == ["1", "1,000", "1,234,567"])
  }

  @Test func `times after the start have the unit of the run's length`() {
    let texts: [(Int64, Int64, String)] = [
      (275, 640, "+275 µs"), (12_499, 543_000, "+12.499 ms"), (12_499, 61_000_000, "+0.012 s"),
      (61_000_000, 61_000_000, "+61.000 s"), (3_665_004_600, 7_200_000_000, "+1:01:05.005"), (-5, 640, "+0 µs"),
    ]
    for (time, length, text) in texts { #expect(PageText.offset(time, of: length) == text) }
  }

  @Test func `an item whose end was left out isn't shown, and the time ends with the run`() throws {
    let timeline = timeline(try SampleRecords.leftOut)
    #expect(timeline.end == 6_000)
    let items = timeline.spans.filter { $0.item != nil && !$0.isUndo }
    #expect(items.map(\.end) == [20, 900] && items.allSatisfy { $0.state == .succeeded && $0.isCritical })
    let undos = timeline.spans.filter(\.isUndo)
    #expect(undos.map(\.end) == [5_300] && undos.allSatisfy { $0.state == .succeeded })
    #expect(timeline.parts.steps.map(\.duration) == [4_000, 1_000])
    // The time of the missing events is drawn as unknown, and the items whose ends are missing are counted.
    #expect(timeline.gaps.map(\.start) == [20, 5_300] && timeline.gaps.map(\.end) == [800, 5_400])
    #expect(timeline.gaps.map(\.events) == [18, 4] && timeline.gaps.allSatisfy { $0.step == 0 })
    #expect(timeline.missing.map(\.items) == [10] && timeline.missing.map(\.events) == [22])
  }

  /// A run with fixed times: of two parallel branches, the one with two steps ends last.
  private static let branches = """
    {"format":"OperationFlow record","version":1,"flow":"Branches","steps":[\
    {"id":0,"name":"first","number":1,"kind":"closure","path":"1. first","state":"succeeded","attempts":1},\
    {"id":1,"name":"both","number":2,"kind":"parallel","path":"2. both","state":"succeeded","attempts":1},\
    {"id":5,"parent":1,"name":"long","kind":"branch","path":"2. both > long","state":"succeeded","attempts":0},\
    {"id":2,"parent":5,"name":"wait","number":1,"kind":"closure","path":"a","state":"succeeded","attempts":1},\
    {"id":3,"parent":5,"name":"late","number":2,"kind":"closure","path":"b","state":"succeeded","attempts":1},\
    {"id":6,"parent":1,"name":"short","kind":"branch","path":"2. both > short","state":"succeeded","attempts":0},\
    {"id":4,"parent":6,"name":"quick","number":1,"kind":"closure","path":"c","state":"succeeded","attempts":1}]}
    {"number":0,"time":1000,"event":"flowStarted","name":"DataBucket","data":[]}
    {"number":1,"time":1000,"event":"started","name":"first","step":0}
    {"number":2,"time":1100,"event":"finished","name":"first","step":0,"end":"successfully"}
    {"number":3,"time":1100,"event":"started","name":"both","step":1}
    {"number":4,"time":1100,"event":"started","name":"wait","step":2}
    {"number":5,"time":1100,"event":"started","name":"quick","step":4}
    {"number":6,"time":1300,"event":"finished","name":"wait","step":2,"end":"successfully"}
    {"number":7,"time":1300,"event":"started","name":"late","step":3}
    {"number":8,"time":1600,"event":"finished","name":"quick","step":4,"end":"successfully"}
    {"number":9,"time":1700,"event":"finished","name":"late","step":3,"end":"successfully"}
    {"number":10,"time":1700,"event":"finished","name":"both","step":1,"end":"successfully"}

    """
}
