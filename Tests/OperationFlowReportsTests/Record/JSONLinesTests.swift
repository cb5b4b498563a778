import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct JSONLinesTests {
  @Test func `a record that was written and read is equal to the record`() async throws {
    let record = try await Self.sample().report.record
    let read = try FlowRecord(jsonLines: record.jsonLines())
    #expect(read == record)
    #expect(read.events.count == record.events.count)
    #expect(read.events.map(\.path) == record.events.map(\.path))
    #expect(read.summary(style: .withoutTimes) == record.summary(style: .withoutTimes))
  }

  @Test func `the size of a saved record grows no faster than the depth of its steps`() async throws {
    func record(_ depth: Int) async -> FlowRecord {
      var flow = Flow("innermost").add("work") { _ in }
      for level in 0..<depth { flow = Flow("level \(level)").add(flow: flow) }
      return await flow.run().report.record
    }
    let (record, double) = (await record(300), await record(600))
    let lines = try record.jsonLines()
    #expect(try double.jsonLines().count < lines.count * 5 / 2)
    let read = try FlowRecord(jsonLines: lines)
    #expect(read == record)
    #expect(read.steps.map(\.path.description) == record.steps.map(\.path.description))
    #expect(try read.jsonLines() == lines)
    let encoded = try JSONEncoder().encode(record)
    #expect(try JSONEncoder().encode(double).count < encoded.count * 5 / 2)
    #expect(try JSONDecoder().decode(FlowRecord.self, from: encoded) == record)
  }

  @Test func `a record of version 1 is read`() throws {
    let record = try SampleRecords.fixed
    #expect(record.flowName == "Publish")
    #expect(record.steps.map(\.name).contains("announce"))
    #expect(record.events.count == 26 && record.skippedEventCount == 0)
    #expect(record.ending?.failure?.item == 2)
    #expect(record.events.last { $0.source.item == 2 }?.attempt == 2)
    #expect(record.events.filter(\.isRetried).count == 1)
    #expect(try record.jsonLines() == Data(SampleRecords.version1.utf8))
  }

  @Test func `events of kinds that aren't known are skipped and counted`() throws {
    let line = #"{"event":"teleported","name":"x","number":99,"time":1,"place":{"a":[1]}}"# + "\n"
    let record = try FlowRecord(jsonLines: Data((SampleRecords.version1 + line + line).utf8))
    #expect(record.skippedEventCount == 2)
    #expect(record.summary(style: .detailed).contains("\n2 events of unknown kinds were skipped\n"))
    let one = try FlowRecord(jsonLines: Data((SampleRecords.version1 + line).utf8))
    #expect(one.summary(style: .detailed).contains("\n1 event of an unknown kind was skipped\n"))
    #expect(try record.events == SampleRecords.fixed.events)
    // The count survives saving and reading, and the skipped events of that file are added.
    let saved = try record.jsonLines()
    #expect(try FlowRecord(jsonLines: saved) == record)
    #expect(try FlowRecord(jsonLines: saved + Data(line.utf8)).skippedEventCount == 3)
    #expect(try JSONDecoder().decode(FlowRecord.self, from: JSONEncoder().encode(record)) == record)
    for count in ["-1", "9223372036854775807"] {
      let text = String(decoding: saved, as: UTF8.self).replacing(#""skipped":2"#, with: #""skipped":\#(count)"#)
      #expect(throws: FlowRecordError.self) { try FlowRecord(jsonLines: Data(text.utf8)) }
    }
  }

  @Test func `fields, options, levels and ends that aren't known have no effect`() throws {
    let text = SampleRecords.version1
      .replacing(#""options":["undo"]"#, with: #""options":["undo","sparkle"],"sparkles":3"#)
      .replacing(#""level":"info""#, with: #""level":"whisper""#)
    #expect(try FlowRecord(jsonLines: Data(text.utf8)) == SampleRecords.fixed)
  }

  @Test func `a last line that was cut anywhere is skipped, and the rest is read`() throws {
    let all = Data(SampleRecords.version1.utf8).dropLast()
    let begin = try #require(all.lastIndex(of: 0x0A))
    let complete = try SampleRecords.fixed.events
    for length in 2..<(all.count - begin) {
      let record = try FlowRecord(jsonLines: all.prefix(begin + length))
      let isWhole = begin + length == all.count
      #expect(record.events.count == (isWhole ? complete.count : complete.count - 1), "\(length)")
      #expect(record.skippedEventCount == (isWhole ? 0 : 1), "\(length)")
    }
    #expect(try FlowRecord(jsonLines: all.prefix(begin + 1)).skippedEventCount == 0)
  }

  @Test func `a later version is refused with what to do`() {
    let text = SampleRecords.version1.replacing(#""version":1}"#, with: #""version":2,"news":true}"#)
    let error = #expect(throws: FlowRecordError.self) { try FlowRecord(jsonLines: Data(text.utf8)) }
    #expect(error?.description.contains("version 2") == true)
    #expect(error?.description.contains("Read it with the version of OperationFlow that wrote it") == true)
  }

  @Test func `a damaged line is named`() {
    var lines = SampleRecords.version1.split(separator: "\n").map(String.init)
    for damage in ["", "{", "[]", "null", "{}", #"{"event":"started"}"#, #"{"event":3}"#, "\u{0}", "x"] {
      lines[4] = damage.isEmpty ? "-" : damage
      let error = #expect(throws: FlowRecordError.self) {
        try FlowRecord(jsonLines: Data(lines.joined(separator: "\n").utf8))
      }
      #expect(error?.line == 5, "\(damage)")
      // Empty lines count too.
      let later = #expect(throws: FlowRecordError.self) {
        try FlowRecord(jsonLines: Data((lines[..<2] + ["", ""] + lines[2...]).joined(separator: "\n").utf8))
      }
      #expect(later?.line == 7, "\(damage)")
    }
    lines[0] = lines[0].replacing(#""steps":[{"#, with: #""steps":[{"id":"zero","#)
    let error = #expect(throws: FlowRecordError.self) {
      try FlowRecord(jsonLines: Data(lines.joined(separator: "\n").utf8))
    }
    #expect(error?.line == 1)
    let behindEmpty = #expect(throws: FlowRecordError.self) {
      try FlowRecord(jsonLines: Data(("\n\n" + lines.joined(separator: "\n")).utf8))
    }
    #expect(behindEmpty?.line == 3 && behindEmpty?.description.hasPrefix("Line 3 ") == true)
  }

  @Test(arguments: ["", "\n", "\n\n", "{}", "[]", "text", #"{"format":"else","version":1}"#, "\u{FEFF}{}"])
  func `data that isn't a record is refused`(text: String) {
    let error = #expect(throws: FlowRecordError.self) { try FlowRecord(jsonLines: Data(text.utf8)) }
    #expect(error?.description.contains("isn't a saved record") == true)
  }

  @Test func `names with any character survive`() async throws {
    let record = await SampleFlows(naming: SampleRecords.nasty).everyKind.run().report.record
    let lines = try record.jsonLines()
    #expect(try FlowRecord(jsonLines: lines) == record)
    #expect(lines.count { $0 == 0x0A } == record.events.count + 1)
  }

  @Test(arguments: [FlowTolerance.all, .failures(.max), .none, .failures(2), .share(0.5)])
  func `a group of any tolerance has a record`(tolerance: FlowTolerance) async throws {
    let record = await Flow("f").forEach(in: 0..<3, tolerating: tolerance) { _, _ in }.run().report.record
    #expect(try FlowRecord(jsonLines: record.jsonLines()) == record)
  }

  /// Runs a flow with every kind of step, in which an item and a step fail.
  static func sample() async throws -> FlowOutcome {
    await Flow("sample")
      .setData(name: "target", value: "web").setData(name: "numbers", value: [1, 2, 3])
      .add("first") { $0.log("line") }
      .cases(on: "target") {
        $0.when("web") { $0.add("web") { $0["written"] = 1 } }
        $0.otherwise { $0.add("other") { _ in } }
      }
      .run()
  }

  /// Returns a record with given numbers, whose first step begins before the run.
  private static func damaged(
    time: String = "1000", duration: String = "5", attempts: String = "1", items: String = "1", leftOut: String = "1"
  ) -> Data {
    Data(
      """
      {"format":"OperationFlow record","version":1,"flow":"f","steps":[{"id":0,"name":"g","number":1,"kind":"group",\
      "width":1,"path":"1. g","state":"succeeded","attempts":\(attempts),"duration":\(duration),\
      "items":{"succeeded":\(items),"failed":\(items),"cancelled":\(items)}}],\
      "ending":{"result":"succeeded","duration":\(duration),"text":""}}
      {"number":0,"time":\(time),"event":"started","name":"g","step":0}
      {"number":1,"time":0,"event":"flowStarted","name":"DataBucket","data":[]}
      {"number":2,"time":\(time),"event":"undoStarted","name":"g","step":0}
      {"number":3,"time":\(time),"event":"started","name":"g","step":0,"item":0}
      {"number":4,"time":0,"event":"finished","name":"g","step":0,"item":0,"end":"successfully"}
      {"number":5,"time":0,"event":"leftOut","name":"g","step":0,"count":\(leftOut),"items":\(leftOut)}
      {"number":6,"time":0,"event":"leftOut","name":"g","step":0,"count":\(leftOut),"items":\(leftOut)}
      {"number":7,"time":-1,"event":"flowFinished","name":"DataBucket","end":"successfully","data":[]}

      """.utf8)
  }

  @Test func `numbers that no record has are refused with their line`() {
    let extremes = [Int.min, Int.min + 1, Int.max - 1, Int.max].map(String.init)
    let records =
      extremes.map { (Self.damaged(time: $0), 2) } + extremes.map { (Self.damaged(duration: $0), 1) }
      + (extremes + ["-1"]).map { (Self.damaged(attempts: $0), 1) }
      + (extremes + ["-1"]).map { (Self.damaged(items: $0), 1) }
      + (extremes + ["-1"]).map { (Self.damaged(leftOut: $0), 7) }
    for (lines, place) in records {
      let error = #expect(throws: FlowRecordError.self, "\(String(decoding: lines, as: UTF8.self))") {
        try FlowRecord(jsonLines: lines)
      }
      #expect(error?.line == place)
    }
  }

  @Test(arguments: [-1 << 60, -1_000_000, 0, 1 << 60])
  func `a record with any numbers that can be read has every format`(time: Int) throws {
    for count in [0, 1 << 40] {
      let record = try FlowRecord(
        jsonLines: Self.damaged(
          time: "\(time)", duration: "\(time)", attempts: "\(count)", items: "\(count)", leftOut: "\(count)"))
      #expect(try FlowRecord(jsonLines: record.jsonLines()) == record)
      for data in [record.traceEvents(), record.openTelemetrySpans()] {
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
      }
      var metrics = FlowMetrics([record, record])
      metrics.merge(metrics)
      #expect(metrics.items.values.first?.states[.failed] == (count == 0 ? nil : 4 * count))
      for style in [FlowSummaryStyle.standard, .brief, .detailed] { #expect(!record.summary(style: style).isEmpty) }
      #expect(record.page.contains("</html>") && record.mermaid.contains("flowchart") && record.dot.contains("digraph"))
    }
  }

  @Test(arguments: [0, -1, 2]) func `a version that isn't known is refused`(version: Int) {
    let text = SampleRecords.version1.replacing("\"version\":1", with: "\"version\":\(version)")
    #expect(text != SampleRecords.version1)
    #expect(throws: FlowRecordError.self) { try FlowRecord(jsonLines: Data(text.utf8)) }
  }
}
