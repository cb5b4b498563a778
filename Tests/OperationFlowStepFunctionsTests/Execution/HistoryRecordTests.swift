import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct HistoryRecordTests {
  private let flow = Flow("sample")
    .set("items", to: ["a", "b"]).set("target", to: "web")
    .add("one", .writesNothing, .retry(.attempts(3))) { _ in }
    .forEach("items", into: "links", width: 2) { (item: String, _) in item }
    .cases(on: "target") {
      $0.when("web") { $0.add("web", .writesNothing) { _ in } }
      $0.otherwise { $0.add("other", .writesNothing) { _ in } }
    }
    .add("last", .writesNothing) { _ in }

  private func path(_ name: String) throws -> String {
    try #require(flow.blueprint.allSteps.first { $0.name == name || "\($0.path)".contains(name) }).path.description
  }

  private func record(_ history: History) throws -> FlowRecord {
    try FlowExecution.record(of: history.events, flow: flow)
  }

  private func states(_ record: FlowRecord) -> [String] { record.steps.map { "\($0.name): \($0.state)" } }

  @Test func `an execution that has succeeded reads like a run`() throws {
    let group = try #require(flow.blueprint.steps.first { $0.kind.isGroup })
    var history = History()
    let data = #""items":["a","b"],"target":"web""#
    _ = history.add("ExecutionStarted", ["input": "{\(data)}"])
    let first = try history.begin(path("one"))
    history.fail(first)
    let second = try history.begin(path("one"), retry: 1)
    history.succeed(second)
    let items = try [0, 1].map { try history.begin("\(group.path)", "item", index: $0) }
    history.succeed(items[1], output: #""b""#)
    history.succeed(items[0], output: #""a""#)
    _ = history.add("MapStateSucceeded", [:])
    let web = try history.begin(path("web > 1. web"))
    history.succeed(web)
    let last = try history.begin(path("last"))
    history.succeed(last)
    _ = history.add("ExecutionSucceeded", ["output": #"{\#(data),"links":["a","b"]}"#])

    let record = try record(history)
    #expect(record.ending?.result == .succeeded)
    #expect(record.ending?.duration == .seconds(Double(history.events.count - 1)))
    #expect(
      states(record) == [
        "one: succeeded", "\(group.name): succeeded", "Cases: succeeded", "target=web: succeeded", "web: succeeded",
        "otherwise: skipped", "other: skipped", "last: succeeded",
      ])
    #expect(record.steps[0].attempts == 2)
    #expect(record.steps[1].items == .init(total: 2, succeeded: 2, failed: 0, cancelled: 0))
    #expect(
      record.summary(style: FlowSummaryStyle(timeStyle: .none)) == """
        ====== Flow Summary: sample ======
        [DataBucket] start with:
        items: ["a", "b"]
        target: web
        [one] WillStart
        [one] DidFinish: withError: no
        [one] WillStart (attempt 2)
        [one] DidFinish (attempt 2): successfully
        [items] group created: 2
        [items #1] WillStart
        [items #2] WillStart
        [items #2] DidFinish: successfully
        [items #1] DidFinish: successfully
        [DataBucket] add for links: ["a", "b"]
        [items] all finished. output size: 2
        [Cases] chosen: target=web
        [web] WillStart
        [web] DidFinish: successfully
        [last] WillStart
        [last] DidFinish: successfully
        [DataBucket] end with:
        items: ["a", "b"]
        links: ["a", "b"]
        target: web
        Flow isSuccess: true
        ======    Ending    ======

        """)
    #expect(record.events.filter { $0.isRetried }.map(\.attempt) == [1])
    // The record can be saved like any other.
    #expect(try JSONDecoder().decode(FlowRecord.self, from: JSONEncoder().encode(record)) == record)
  }

  @Test func `an item's failure is the run's, and what was under way was cancelled`() throws {
    let group = try #require(flow.blueprint.steps.first { $0.kind.isGroup })
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    let first = try history.begin(path("one"))
    history.succeed(first)
    let items = try [0, 1].map { try history.begin("\(group.path)", "item", index: $0) }
    history.fail(items[1], FlowTaskFailure.finalName, cause: "broken")
    _ = history.add("ExecutionFailed", ["error": FlowTaskFailure.finalName, "cause": "broken"])

    let record = try record(history)
    #expect(record.ending?.result == .failed)
    #expect(record.ending?.failure?.name == "[items #2]" && record.ending?.failure?.problem == "broken")
    #expect(record.ending?.failure?.step == record.steps[1].id && record.ending?.failure?.item == 1)
    #expect(record.steps[1].items == .init(total: 2, succeeded: 0, failed: 1, cancelled: 1))
    #expect(
      states(record) == [
        "one: succeeded", "items: failed", "Cases: neverRan", "target=web: neverRan", "web: neverRan",
        "otherwise: neverRan", "other: neverRan", "last: neverRan",
      ])
    #expect(
      record.summary().contains(
        "Flow isSuccess: false, [items #2]: broken\nFailed at: 2. items, item #2; it read item = b, items = missing\n"))
    #expect(
      record.itemFailures == [
        .init(name: "[items #2]", step: record.steps[1].id, index: 1, input: "b", error: "broken", attempt: 1)
      ])
  }

  @Test func `what contains the step that failed has failed`() throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    let web = try history.begin(path("web > 1. web"))
    history.fail(web, "Custom", cause: "why")
    _ = history.add("ExecutionFailed", ["error": "Custom", "cause": "why"])
    let record = try record(history)
    #expect(
      states(record).dropFirst(2) == [
        "Cases: failed", "target=web: failed", "web: failed", "otherwise: skipped", "other: skipped", "last: neverRan",
      ])
    #expect(record.ending?.failure?.problem == "Custom: why")
  }

  @Test func `an item of a sensitive key isn't shown`() throws {
    let key = FlowKey<[String]>("tokens", sensitive: true)
    let flow = Flow().set(key, to: ["a"]).forEach(key, into: "out", width: 1) { (item: String, _) in item }
    var history = History()
    let item = try history.begin("\(flow.blueprint.steps[0].path)", "item", index: 0)
    history.fail(item)
    let record = try FlowExecution.record(of: history.events, flow: flow)
    #expect(record.itemFailures.map(\.input) == ["<redacted>"])
  }

  @Test func `a stopped execution is a cancelled run`() throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    _ = try history.begin(path("one"))
    _ = history.add("ExecutionAborted", [:])
    let record = try record(history)
    #expect(record.ending?.result == .cancelled)
    #expect(states(record).prefix(2) == ["one: cancelled", "items: neverRan"])
  }

  @Test func `an execution that is under way has no ending`() throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    _ = try history.begin(path("one"))
    let record = try record(history)
    #expect(record.ending == nil)
    #expect(states(record).prefix(2) == ["one: running", "items: waiting"])
  }

  @Test func `a task that no worker took in time has failed, and tasks of others are left out`() throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    _ = history.add("ActivityScheduled", ["input": "{\"foreign\":true}"])
    let input = "{\"flow\":\"sample\",\"step\":\"\(try path("one"))\",\"mode\":\"nothing\",\"run\":\"r\"}"
    let scheduled = history.add("ActivityScheduled", ["input": input])
    _ = history.add("ActivityTimedOut", after: scheduled)
    _ = history.add("ExecutionFailed", ["error": "States.Timeout"])
    let record = try record(history)
    #expect(record.events.count == 4)
    #expect(record.ending?.failure?.name == "[one]" && record.ending?.failure?.problem == "States.Timeout")
    #expect(record.steps[0].state == .failed)
  }

  @Test func `undos and conditions are no attempts of the step`() throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    let first = try history.begin(path("one"))
    history.succeed(first)
    let undo = try history.begin(path("one"), "undo")
    history.succeed(undo)
    let condition = try history.begin(path("last"), "condition")
    history.succeed(condition, output: "false")
    _ = history.add("ExecutionSucceeded", [:])
    let record = try record(history)
    #expect(
      record.events.map { "\($0.source) \($0.kind)" } == [
        "[DataBucket] flowStarted([])", "[one] started", "[one] finished(OperationFlow.FlowEvent.Finish.successfully)",
        "[one] undoStarted", "[one] undoFinished(OperationFlow.FlowEvent.Finish.successfully)",
        "[last] skipped(held: \"\")",
        "[DataBucket] flowFinished(OperationFlow.FlowEvent.Finish.successfully, [])",
      ])
    #expect(record.steps[0].state == .succeeded && record.steps[0].attempts == 1)
    #expect(record.steps.last?.state == .skipped)
  }
}

extension FlowBlueprint.Kind {
  fileprivate var isGroup: Bool { if case .group = self { true } else { false } }
}
