import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport

/// The records that the tests draw and write, and that `.ci/check-reports` checks with other tools.
enum SampleRecords {
  /// Adds text to a name that would end a string, a line, a tag or a comment of any of the formats.
  static let nasty: @Sendable (String) -> String = { name in
    "\(name) \"q\" 'a' \\ \\n \n\r\t\u{0}\u{1B}[31m </b></script>]]> |x|}]); #quot; #35; `*b*` &amp; %% end --> ::: "
      + "\u{2028}\u{202E}\u{85}é 🧨 {le=\"1\"} \u{7F}"
  }

  /// Returns records of every kind of step, with usual and with odd names, by the names of their files.
  static func all() async throws -> [(name: String, record: FlowRecord)] {
    let (plain, odd) = (SampleFlows(), SampleFlows(naming: nasty))
    var records = [("fixed", try fixed)]
    records.append(("every-kind", await plain.everyKind.run().report.record))
    records.append(("failing", await plain.failing.run().report.record))
    records.append(("open-cases", await plain.openCases.run().report.record))
    records.append(("nasty", await odd.everyKind.run().report.record))
    records.append(("nasty-failing", await odd.failing.run().report.record))
    records.append(("nasty-live", try live(await odd.failing.run().report.record, events: 9)))
    records.append(("items", await plain.items(1_000).run().report.record))
    records.append(("empty", await Flow("Empty").run().report.record))
    records.append(("refused", await refused()))
    records.append(("nested", await nested(60).run().report.record))
    return records
  }

  /// Returns a record as it was when it had only its first events.
  static func live(_ record: FlowRecord, events: Int) throws -> FlowRecord {
    let lines = try record.jsonLines().split(separator: 0x0A)
    let own = record.events.prefix(events).filter { $0.source.item == nil }
    let ended = Set(own.filter(\.kind.endsStep).compactMap(\.step))
    let running = Set(record.events.prefix(events).compactMap(\.step)).subtracting(ended)
    var header = try JSONSerialization.jsonObject(with: lines[0]) as? [String: Any] ?? [:]
    header["ending"] = nil
    header["steps"] = (header["steps"] as? [[String: Any]])?.map { step in
      guard let id = step["id"] as? Int, running.contains(id) else { return step }
      return step.merging(["state": "running"]) { $1 }.filter { $0.key != "duration" }
    }
    let first = try JSONSerialization.data(withJSONObject: header)
    let kept = [first] + lines.dropFirst().prefix(events).map { Data($0) }
    return try FlowRecord(jsonLines: Data(kept.joined(separator: [0x0A])) + [0x0A])
  }

  /// Returns nested flows.
  static func nested(_ depth: Int) -> Flow {
    var flow = Flow("level 0").add("deepest") { _ in }
    for level in 1...max(1, depth) { flow = Flow("level \(level)").add(flow: flow) }
    return flow
  }

  private static func refused() async -> FlowRecord {
    await Flow("Refused").add("needs", .reads(FlowKey<Int>("missing"))) { _ in }.run().report.record
  }

  /// A record of version 1 of the format.
  static var fixed: FlowRecord { get throws { try FlowRecord(jsonLines: Data(version1.utf8)) } }
}

extension FlowEvent.Kind {
  /// True if this event of a step is the step's last one.
  fileprivate var endsStep: Bool {
    switch self {
    case .finished, .recovered, .groupFinished, .caseChosen, .skipped: true
    default: false
    }
  }
}
