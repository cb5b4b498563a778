import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

/// Compares the table of the article *Beyond one machine* with the counts of an exported flow.
///
/// Set `OPERATIONFLOW_UPDATE_DOCS=1` to write it again.
@Suite(.watched) struct ScaleDocumentTests {
  private static let path = "Sources/OperationFlowStepFunctions/OperationFlowStepFunctions.docc/BeyondOneMachine.md"
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(path)

  private static func definition(isDistributed: Bool) throws -> StateMachineDefinition {
    let (names, links): (FlowKey<[String]>, FlowKey<[String]>) = ("names", "links")
    let flow = Flow("Upload")
      .add("list", .writes(names)) { $0[names] = [] }
      .forEach(names, into: links, width: 40, .named("upload"), .retry(.attempts(3))) { name, _ in name }
      .add("check", .reads(links), .writesNothing) { _ in }
    return try flow.amazonStatesLanguage(
      activity: "arn:aws:states:eu-central-1:000000000000:activity:Upload",
      options: StateMachineOptions(distributedGroups: isDistributed ? ["upload"] : []))
  }

  private struct Row {
    let (text, executions, tasks, isDistributed): (String, Int, Int, Bool)
  }

  private static let rows = [
    Row(text: "1,000, one a task", executions: 1, tasks: 1_000, isDistributed: false),
    Row(text: "3,500, one a task", executions: 1, tasks: 3_500, isDistributed: false),
    Row(text: "1,000,000, 1,000 a task", executions: 1, tasks: 1_000, isDistributed: false),
    Row(text: "1,000,000, one a task", executions: 250, tasks: 4_000, isDistributed: true),
    Row(text: "1,000,000,000, 10,000 a task", executions: 50, tasks: 2_000, isDistributed: false),
    Row(text: "1,000,000,000, one a task", executions: 250_000, tasks: 4_000, isDistributed: true),
  ]

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  private static func table() throws -> String {
    var lines = [
      "| Items | Map | Executions | Events of each, of 25,000 | Tasks | Transitions | At 25 USD a million |",
      "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows {
      let cost = try ExecutionCost(definition(isDistributed: row.isDistributed), itemCount: row.tasks)
      let (tasks, transitions) = (cost.tasks * row.executions, cost.transitions * row.executions)
      let executions = row.executions * (1 + cost.children)
      lines.append(
        "| \(row.text) | \(row.isDistributed ? "distributed" : "inline") | \(grouped(executions)) | "
          + "\(grouped(max(cost.events, cost.eventsOfChild))) | \(grouped(tasks)) | \(grouped(transitions)) | "
          + "\(Double(transitions) / 1_000_000 * 25 < 10 ? String(format: "%.2f", Double(transitions) / 1_000_000 * 25) : grouped((transitions + 20_000) / 40_000)) USD |"
      )
    }
    return lines.joined(separator: "\n")
  }

  @Test func `the table is what the export costs`() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let (begin, end) = ("<!-- scale -->\n", "\n<!-- end of scale -->")
    let first = try #require(text.range(of: begin)), last = try #require(text.range(of: end))
    let current = text[..<first.upperBound] + (try Self.table()) + text[last.lowerBound...]
    if ProcessInfo.processInfo.environment["OPERATIONFLOW_UPDATE_DOCS"] == "1" {
      try String(current).write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      #expect(text == current, "Run the tests with OPERATIONFLOW_UPDATE_DOCS=1 to write the table again.")
    }
  }

  @Test func `a step costs five events, and an item of an inline map seven`() throws {
    let costs = try [0, 1, 2].map { try ExecutionCost(Self.definition(isDistributed: false), itemCount: $0) }
    #expect(costs[2].events - costs[1].events == costs[1].events - costs[0].events)
    #expect(costs[1].events - costs[0].events == 7 && costs[1].tasks - costs[0].tasks == 1)
    // The execution's start and end, two tasks, and the map.
    #expect(costs[0].events == 2 + 2 * 5 + 4)
  }

  @Test func `the items of a distributed map are in histories of their own`() throws {
    let costs = try [0, 1_000].map { try ExecutionCost(Self.definition(isDistributed: true), itemCount: $0) }
    #expect(costs[0].events == costs[1].events && costs[1].children == 1_000 && costs[1].eventsOfChild == 7)
  }
}
