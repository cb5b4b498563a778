import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct HistoryValueTests {
  /// Returns the changes of the data in a record, each with its step.
  private func lines(_ record: FlowRecord) -> [String] {
    record.events.compactMap { event in
      switch event.kind {
      case .flowStarted, .flowFinished, .added, .replaced, .removed, .caseChosen:
        "\(event.path?.description ?? "flow"): \(event.kind)"
      default: nil
      }
    }
  }

  private func make() -> Flow {
    let inner = Flow("Inner").set(FlowKey<[String]>("words"), to: ["a b", "c"])
      .add("replaces", .reads(FlowKey<[String]>("words")), .writes(.name)) { $0[.name] = "two" }
    return Flow("values").set(.numbers, to: [1, 2]).set(.target, to: "A")
      .add("count", .reads(.numbers), .writes(.count)) { $0[.count] = 2 }
      .cases(on: .target) {
        $0.when("A") {
          $0.add("in A") { context in
            context[.name] = "one"
            context[.count] = nil
          }
        }
        $0.otherwise { $0.add("other") { _ in } }
      }
      .forEach(.numbers, into: .squares, width: 1) { number, _ in number * number }
      .forEach(.numbers, into: FlowKey<[Int]>("tolerated"), width: 1, tolerating: .all, .named("tolerates")) {
        number, _ in
        if number > 1 { throw TestError(name: "too large") }
        return number
      }
      .add(flow: inner)
      .always { $0.add("ends", .writes(.isWanted)) { $0[.isWanted] = true } }
  }

  @Test func `no path has a value that a case hides, taken or not, long or short`() async throws {
    let (token, pin) = (FlowKey<String>("apiToken"), FlowKey<String>("password"))
    let flow = Flow("hides").set(token, to: "prod-key-123").set(pin, to: "1234")
      .cases(on: token) {
        $0.when("test-key-456") { $0.add("test", .writesNothing) { _ in } }
        $0.when("prod-key-123") {
          $0.cases(on: pin) { cases in cases.when("1234") { $0.add("in", .writesNothing) { _ in } } }
        }
      }
    let options = StateMachineOptions(sensitiveValues: .plain)
    let record = try await History.record(of: flow, options: options)
    let texts = record.steps.map(\.path.description) + record.events.compactMap { $0.path?.description }
    #expect(texts.contains("1. Cases > apiToken=<redacted> (2) > 1. Cases > password=<redacted> > 1. in"), "\(texts)")
    #expect(Set(texts.prefix(record.steps.count)).count == record.steps.count, "\(texts)")
    #expect(flow.blueprint.allSteps.allSatisfy { texts.contains($0.path.description) })
    for hidden in ["test-key", "prod-key", "1234"] { #expect(!texts.contains { $0.contains(hidden) }, "\(texts)") }
    #expect(record.steps.first { $0.name == "in" }?.state == .succeeded)
  }

  @Test func `what a distributed map has left is known to the items that follow`() throws {
    let flow = Flow("maps").set(FlowKey<[Int]>("numbers"), to: [1])
      .forEach(FlowKey<[Int]>("numbers"), into: FlowKey<[Int]>("squares"), width: 50) { number, _ in number }
      .forEach(FlowKey<[Int]>("squares"), width: 1, .named("prints")) { _, _ in }
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{\"numbers\":[1]}"])
    _ = history.add("MapStateExited", ["name": "1 numbers", "output": "{\"numbers\":[1],\"squares\":[1,4]}"])
    let record = try FlowExecution.record(of: history.events, flow: flow)
    #expect(lines(record).contains { $0.contains("squares") && $0.contains("[1, 4]") }, "\(lines(record))")
  }

  @Test func `a record has the values that one of a run on one machine has`() async throws {
    let there = try await History.record(of: make())
    let here = await make().run().report.record
    #expect(lines(there) == lines(here))
    #expect(here.steps.map(\.inputs) == there.steps.map(\.inputs))
    #expect(here.steps.map(\.outputs) == there.steps.map(\.outputs))
  }

  @Test func `a detailed summary says what a step read and wrote, and why a case was taken`() async throws {
    let text = try await History.record(of: make()).summary(style: .detailed)
    for line in ["read: numbers = [1, 2]", "wrote: count = 2", "taken: target=A, because <target> is <A>"] {
      #expect(text.contains(line), "\(text)")
    }
  }

  @Test(arguments: [StateMachineOptions.SensitiveValues.sealed, .plain])
  func `no value that is hidden is in a record`(values: StateMachineOptions.SensitiveValues) async throws {
    let (password, pin) = (FlowKey<String>("password"), FlowKey<Int>("pin token"))
    let flow = Flow("login").set(.token, to: "hunter2-xyz").set(password, to: "abc-abc-abc")
      .add("changes", .reads(.token), .writes(.token)) { $0[.token] = try $0.require(.token) + "!" }
      .add("hashes", .reads(password), .writes(pin)) { $0[pin] = 123_456 }
    let fails: @Sendable (FlowContext) throws -> Void = { _ in throw TestError(name: "abc-abc-abc 123456") }
    // No state can read a sealed value.
    if values == .sealed {
      flow.add("fails", .reads(password, pin)) { try fails($0) }
    } else {
      flow.cases(on: password) { $0.when("abc-abc-abc") { $0.add("fails", .reads(password, pin)) { try fails($0) } } }
    }
    let sealing = FlowSealing(seal: { Data($0.reversed()) }) { Data($0.reversed()) }
    let record = try await History.record(
      of: flow, options: StateMachineOptions(sensitiveValues: values), sealing: values == .sealed ? sealing : nil)
    let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
    for secret in ["hunter2", "abc-abc-abc", "123456", "operationFlowSealed"] {
      #expect(!text.contains(secret), "\(text)")
    }
    #expect(lines(record).contains("1. changes: replaced(name: \"token\", old: \"<redacted>\", new: \"<redacted>\")"))
    #expect(record.ending?.failure?.problem.contains("TestError(<redacted> <redacted>)") == true)
  }

  @Test func `what a distributed map has made is known from what follows`() throws {
    let flow = Flow("sample").set("items", to: ["a"])
      .forEach("items", into: "links", width: 50) { (item: String, _) in item }
      .add("last", .reads(FlowKey<[String]>("links")), .writesNothing) { _ in }
    var history = History()
    _ = history.add("ExecutionStarted", ["input": #"{"items":["a"]}"#])
    let task = FlowTask(
      .nothing, of: "2. last", in: "sample", run: "r",
      bucket: Data(#"{"links":[{"operationFlowReference":"x"}],"gone":null}"#.utf8))
    _ = history.begin(task: task.json)
    let record = try FlowExecution.record(of: history.events, flow: flow)
    #expect(
      lines(record) == [
        #"flow: flowStarted([OperationFlow.FlowEvent.Item(name: "items", text: "[\"a\"]")])"#,
        #"flow: added(name: "links", text: "[{\"operationFlowReference\":\"x\"}]")"#,
      ])
  }
}
