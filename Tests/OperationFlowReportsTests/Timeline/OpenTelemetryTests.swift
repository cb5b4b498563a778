import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct OpenTelemetryTests {
  private struct Span {
    var json: [String: Any]
    var name: String { json["name"] as? String ?? "" }
    var id: String { json["spanId"] as? String ?? "" }
    var parent: String? { json["parentSpanId"] as? String }
    var begin: Int { Int(json["startTimeUnixNano"] as? String ?? "") ?? -1 }
    var end: Int { Int(json["endTimeUnixNano"] as? String ?? "") ?? -1 }
    var status: Int? { (json["status"] as? [String: Any])?["code"] as? Int }
    var events: [(name: String, attributes: [String: String])] {
      (json["events"] as? [[String: Any]] ?? []).map {
        ($0["name"] as? String ?? "", OpenTelemetryTests.attributes($0))
      }
    }
  }

  private static func attributes(_ json: [String: Any]) -> [String: String] {
    let pairs = (json["attributes"] as? [[String: Any]] ?? []).map { pair in
      (pair["key"] as? String ?? "", (pair["value"] as? [String: String])?.values.first ?? "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func resource(_ data: Data) throws -> [String: Any] {
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try #require((json["resourceSpans"] as? [[String: Any]])?.first)
  }

  private func spans(_ record: FlowRecord) throws -> [Span] {
    let scopes = try #require(try resource(record.openTelemetrySpans())["scopeSpans"] as? [[String: Any]])
    return try #require(scopes.first?["spans"] as? [[String: Any]]).map { Span(json: $0) }
  }

  @Test func `runs have traces of their own, and a run's records and what is read from them have the same`()
    async throws
  {
    let flow = Flow("same").add("work") { _ in }
    var traces: Set<String> = []
    for _ in 0..<500 {
      let report = await flow.run().report
      let trace = try #require(try spans(report.record).first?.json["traceId"] as? String)
      #expect(report.record.runID == trace && trace.count == 32)
      #expect(try FlowRecord(jsonLines: report.record.jsonLines()).runID == trace)
      traces.insert(trace)
    }
    #expect(traces.count == 500)
  }

  @Test func `spans have the parents and times of the record`() throws {
    let record = try SampleRecords.fixed
    let spans = try spans(record)
    let byName = Dictionary(uniqueKeysWithValues: spans.map { ($0.name, $0) })
    #expect(byName["Publish"]?.parent == nil)
    #expect(byName["upload #3"]?.parent == byName["upload"]?.id)
    #expect(byName["resize"]?.parent == byName["target=web"]?.id)
    #expect(byName["close"]?.parent == byName["Clean up"]?.id)
    #expect(byName["Publish"]?.begin == 1_767_225_600_000_000_000)
    #expect(byName["upload #3"]?.end == 1_767_225_600_584_000_000)
    #expect(byName["announce"] == nil && byName["keep"] == nil)
  }

  @Test func `a failure has a status and an exception, and what contains it has the status alone`() throws {
    let spans = try spans(SampleRecords.fixed)
    let item = try #require(spans.first { $0.name == "upload #3" })
    #expect(item.status == 2)
    #expect(item.events.map(\.name) == ["attempt", "exception", "attempt", "exception"])
    #expect(item.events.last?.attributes["exception.message"] == "no connection")
    #expect(item.events.last?.attributes["operationflow.attempt"] == "2")
    let run = try #require(spans.first)
    #expect(run.status == 2 && run.events.isEmpty)
    #expect(spans.first { $0.name == "upload #1" }?.status == nil)
  }

  @Test func `a flow as a step that fails with a step within has the status without the exception`() async throws {
    let inner = Flow("inner").add("bad") { _ in throw TestError() }
    let spans = try spans(await Flow("outer").add(flow: inner).run().report.record)
    let flow = try #require(spans.first { $0.name == "inner" })
    #expect(flow.status == 2 && flow.events.isEmpty)
    #expect(spans.first { $0.name == "bad" }?.events.map(\.name) == ["exception"])
  }

  @Test func `a refused flow has the exception in the span of the run`() async throws {
    let record = try #require(try await SampleRecords.all().first { $0.name == "refused" }).record
    let run = try #require(try spans(record).first)
    #expect(run.status == 2)
    #expect(run.events.contains { $0.name == "exception" })
  }

  @Test func `identifiers have their lengths, differ, and are the same each time`() async throws {
    for (name, record) in try await SampleRecords.all() {
      let spans = try spans(record)
      #expect(Set(spans.map(\.id)).count == spans.count, "\(name)")
      #expect(spans.allSatisfy { $0.id.wholeMatch(of: #/[0-9a-f]{16}/#) != nil })
      let traces = Set(spans.compactMap { $0.json["traceId"] as? String })
      #expect(traces.count == 1 && traces.allSatisfy { $0.wholeMatch(of: #/[0-9a-f]{32}/#) != nil })
      #expect(record.openTelemetrySpans() == record.openTelemetrySpans())
      let ids = Set(spans.map(\.id))
      #expect(spans.dropFirst().allSatisfy { $0.parent.map(ids.contains) == true }, "\(name)")
    }
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 2), (12, 8)])
  func `a record that is read later has the same identifiers, also if more has happened`(events: Int, count: Int) throws
  {
    let early = try spans(SampleRecords.live(SampleRecords.fixed, events: events))
    let late = try spans(SampleRecords.fixed)
    let ids = Dictionary(uniqueKeysWithValues: late.map { ($0.name, $0.id) })
    #expect(early.count == count && early.allSatisfy { ids[$0.name] == $0.id })
    #expect(early.first?.json["traceId"] as? String == late.first?.json["traceId"] as? String)
  }

  @Test func `a record without events has no spans, because it has no times`() throws {
    #expect(try spans(SampleRecords.live(SampleRecords.fixed, events: 0)).isEmpty)
  }

  @Test func `runs that begin at the same time with other data have other identifiers`() throws {
    let text = SampleRecords.version1.replacing(#""text":"web""#, with: #""text":"film""#)
    let other = try FlowRecord(jsonLines: Data(text.utf8))
    #expect(try spans(other).first?.id != spans(SampleRecords.fixed).first?.id)
  }

  @Test func `an item whose end was left out is an event of its group`() throws {
    let spans = try spans(SampleRecords.leftOut)
    let group = try #require(spans.first { $0.name == "photos" })
    #expect(group.events.map(\.name) == ["item started"])
    #expect(group.events.first?.attributes == ["operationflow.name": "photos #1"])
    #expect(Self.attributes(group.json)["operationflow.events.left_out"] == "22")
    #expect(!spans.contains { $0.name == "photos #1" || $0.name == "undo photos #1" })
    #expect(spans.first?.events.map(\.name).contains("undo started") == true)
  }

  @Test func `log lines are events of the step that logged them`() throws {
    let fetch = try #require(try spans(SampleRecords.fixed).first { $0.name == "fetch" })
    #expect(fetch.events.map(\.name) == ["log"])
    #expect(fetch.events.first?.attributes == ["log.severity": "info", "log.message": "3 pictures"])
  }

  @Test func `it is one line, and the service has the given name`() throws {
    let data = try SampleRecords.fixed.openTelemetrySpans(serviceName: "uploader \"1\"")
    #expect(data.count { $0 == 0x0A } == 1 && data.last == 0x0A)
    let resource = try #require(try resource(data)["resource"] as? [String: Any])
    #expect(Self.attributes(resource) == ["service.name": "uploader \"1\""])
  }
}
