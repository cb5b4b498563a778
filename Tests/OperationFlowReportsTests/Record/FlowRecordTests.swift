import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched) struct FlowRecordTests {
  private func encoded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `an event that was encoded alone keeps its path`() async throws {
    let outcome = await Flow().add(flow: Flow("outer").add("inner") { _ in }).run()
    let event = try #require(outcome.report.events.last { $0.kind == .started })
    let read = try encoded(event)
    // Saved dates are whole microseconds.
    #expect(try read.kind == event.kind && read.step == event.step && encoded(read) == read)
    #expect(read.path == "1. outer > 1. inner")
  }

  @Test func `events of unknown kinds are skipped and counted`() async throws {
    let record = await Flow().add("only") { _ in }.run().report.record
    var object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(record)) as? [String: Any])
    var events = try #require(object["events"] as? [[String: Any]])
    events.insert(["event": "teleported", "number": 1, "time": 0, "name": "x"], at: 1)
    object["events"] = events
    let read = try JSONDecoder().decode(FlowRecord.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(read.events == record.events)
    #expect(read.skippedEventCount == 1 && record.skippedEventCount == 0)
  }

  @Test func `the record of a run under way shows what runs and what waits`() async throws {
    let (isWaiting, mayEnd) = (Signal(), Signal())
    let run = Flow("live").add("first") { _ in }
      .cases(on: FlowKey<String>("target")) {
        $0.when("web") { $0.add("web") { _ in } }
        $0.otherwise {
          $0.add("other") { _ in await isWaiting.fire(thenAwait: mayEnd) }
        }
      }
      .add("last") { _ in }.start()
    await isWaiting.wait()
    let record = run.record
    #expect(record.ending == nil && record.flowName == "live")
    func states(_ record: FlowRecord) -> [String] { record.steps.map { "\($0.name): \($0.state)" } }
    #expect(
      states(record) == [
        "first: succeeded", "Cases: running", "target=web: skipped", "web: skipped", "otherwise: running",
        "other: running", "last: waiting",
      ])
    #expect(run.record.summary(style: .brief).hasPrefix("live: under way\n"))
    mayEnd.fire()
    _ = await run.outcome
    #expect(states(run.record).filter { !$0.hasSuffix("succeeded") } == ["target=web: skipped", "web: skipped"])
    #expect(run.record.ending?.result == .succeeded)
  }

  @Test func `the cause of a failure has the place, the values that were read, and the remedy`() async throws {
    let outcome = await Flow("Publish").setData(name: "size", value: 3)
      .add("prepare", .reads(FlowKey<Int>("size")), .writes(FlowKey<Int>("size"))) { $0["size"] = 4 }
      .add("shrink", .reads(FlowKey<Int>("size"))) { _ in throw TestError() }.run()
    let cause = try #require(outcome.report.record.cause)
    #expect(cause.path == "2. shrink" && cause.problem == "TestError(test)" && cause.remedy == nil)
    #expect(cause.inputs == [FlowEvent.Item(name: "size", text: "4")])
    #expect(outcome.report.summary.contains("\nFailed at: 2. shrink; it read size = 4\n"))
  }

  @Test func `the cause of a failure has what its step has read, and not what it wrote then`() async throws {
    let size = FlowKey<Int>("size")
    let flow = Flow().set(size, to: 3).add("shrink", .reads(size), .writes(size)) { context in
      context[size] = 2
      throw TestError()
    }
    #expect(await flow.run().report.record.cause?.inputs.map(\.text) == ["3"])
  }

  @Test func `the cause of a failed item has the item`() async throws {
    let outcome = await Flow().forEach(in: ["a", "b"], width: 1, .named("upload")) { text, _ in
      if text == "b" { throw TestError() }
    }.run()
    let cause = try #require(outcome.report.record.cause)
    #expect(cause.item == 1 && cause.inputs == [FlowEvent.Item(name: "item", text: "b")])
    #expect(await Flow().add("fine") { _ in }.run().report.record.cause == nil)
  }

  @Test func `the record of a flow that has run is that of its report, with what was noted since`() async {
    let flow = Flow("f").setData(name: "token", value: "tk-123456")
      .forEach(in: ["tk-123456", "b"], tolerating: .all, .named("upload")) { _, _ in throw TestError() }
      .forEach(in: ["item"], .named("last")) { _, context in throw TestError(name: try context.require("token")) }
    let report = await flow.run().report
    #expect(flow.record == report.record && flow.record.itemFailures.count == 3)
    #expect(flow.generateSummary(style: .brief) == report.summary(style: .brief))
    #expect(flow.record.cause?.inputs.map(\.name) == ["item"])
    // The record hides the value even if the bucket no longer contains it.
    flow.dataBucket = [:]
    flow.log(message: "noted later")
    #expect(flow.record.itemFailures == report.record.itemFailures && flow.record.ending == report.record.ending)
    #expect(flow.record.itemFailures.last?.error == "TestError(<redacted>)")
    #expect(flow.generateSummary().contains("noted later"))
    #expect(flow.generateSummary(style: .brief) == report.summary(style: .brief))
  }

  @Test func `branches within a step that was skipped were skipped`() async {
    let flow = Flow("inner").parallel("both") { $0.branch("left") { $0.add("step") { _ in } } }
    let record = await Flow().add(flow: flow, .when { _ in false }).run().report.record
    #expect(record.steps.allSatisfy { $0.state == .skipped }, "\(record.steps)")
  }
}
