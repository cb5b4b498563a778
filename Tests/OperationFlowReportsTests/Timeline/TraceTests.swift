import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct TraceTests {
  /// Returns the events of a trace.
  private func events(_ record: FlowRecord) throws -> [[String: Any]] {
    let trace = try #require(try JSONSerialization.jsonObject(with: record.traceEvents()) as? [String: Any])
    #expect(trace["displayTimeUnit"] as? String == "ms")
    return try #require(trace["traceEvents"] as? [[String: Any]])
  }

  private func slices(_ events: [[String: Any]], _ category: String) -> [String: [Int]] {
    let found = events.filter { $0["ph"] as? String == "X" && $0["cat"] as? String == category }
    return Dictionary(grouping: found) { $0["name"] as? String ?? "" }.mapValues { $0.compactMap { $0["dur"] as? Int } }
  }

  @Test func `steps, items, attempts and undos are slices`() throws {
    let events = try events(SampleRecords.fixed)
    #expect(slices(events, "run") == ["Publish": [700_000]])
    #expect(slices(events, "step")["upload"] == [420_000])
    #expect(slices(events, "step")["resize"] == [40_000])
    #expect(slices(events, "item") == ["upload #1": [100_000], "upload #2": [234_000], "upload #3": [318_000]])
    #expect(slices(events, "attempt") == ["attempt 1": [74_000], "attempt 2": [44_000]])
    #expect(slices(events, "undo") == ["undo fetch": [50_000]])
  }

  @Test func `items that run at once are on different tracks, and an item is on its group's track if it can be`() throws
  {
    let events = try events(SampleRecords.fixed)
    func track(_ name: String) -> Int? {
      events.first { $0["name"] as? String == name && $0["ph"] as? String == "X" }?["tid"] as? Int
    }
    #expect(track("upload #1") == track("upload"))
    #expect(track("upload #2") != track("upload"))
    #expect(track("upload #3") == track("upload"))
  }

  @Test func `writes, log lines and choices are instants, and ended items are counted`() throws {
    let events = try events(SampleRecords.fixed)
    let instants = events.filter { $0["ph"] as? String == "i" }.compactMap { $0["name"] as? String }
    #expect(instants == ["info", "add pictures", "chosen target=web", "add resized", "group stopped"])
    let counts = events.filter { $0["ph"] as? String == "C" }
    #expect(counts.compactMap { ($0["args"] as? [String: Any])?["count"] as? Int } == [1, 2, 3])
    #expect(Set(counts.compactMap { $0["name"] as? String }) == ["upload, items ended"])
  }

  @Test func `every slice of a sample is in a named track, and any name can be read back`() async throws {
    for (name, record) in try await SampleRecords.all() {
      let events = try events(record)
      let tracks = events.filter { $0["name"] as? String == "thread_name" }.compactMap { $0["tid"] as? Int }
      #expect(Set(events.compactMap { $0["tid"] as? Int }).isSubset(of: Set(tracks)), "\(name)")
      #expect(Set(tracks).count == tracks.count)
    }
    let names = try events(await SampleFlows(naming: SampleRecords.nasty).everyKind.run().report.record)
      .compactMap { $0["name"] as? String }
    #expect(names.contains(SampleRecords.nasty("fetch")))
  }

  @Test func `an item whose end was left out is an instant, and is counted`() throws {
    let events = try events(SampleRecords.leftOut)
    let counts = events.filter { $0["ph"] as? String == "C" }
    #expect(counts.compactMap { ($0["args"] as? [String: Any])?["count"] as? Int } == [1, 11, 12])
    let instants = events.filter { $0["ph"] as? String == "i" }.compactMap { $0["name"] as? String }
    #expect(instants.contains("photos #1 started") && instants.contains("undo photos #1 started"))
    #expect(slices(events, "item").keys.sorted() == ["photos #12", "photos #2"])
  }

  @Test func `a long group has no more tracks than were at work at once, and guesses no ends`() async throws {
    let flow = Flow("Long").forEach(in: 0..<1_200, width: 8) { _, _ in await Task.yield() }.add("after") { _ in }
    let record = await flow.run().report.record
    let events = try events(record)
    #expect(events.filter { $0["name"] as? String == "thread_name" }.count <= 9)
    var begun: [Int: Int] = [:]
    var ended: Set<Int> = []
    for event in record.events {
      guard let item = event.source.item else { continue }
      if event.kind == .started { begun[item, default: 0] += 1 }
      if event.kind == .finished(.successfully), begun[item] != nil { ended.insert(item) }
    }
    #expect(slices(events, "item").count == ended.count && ended.count < 1_200)
  }
}
