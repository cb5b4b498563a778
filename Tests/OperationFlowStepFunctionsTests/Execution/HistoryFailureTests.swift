import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct HistoryFailureTests {
  @Test(arguments: [FlowTolerance.none, .failures(1)])
  func `a group with an undo that has failed is shown as failed, and as the cause`(tolerance: FlowTolerance)
    async throws
  {
    let flow = Flow("P").set(.numbers, to: [1, 2, 3])
      .forEach(.numbers, into: .squares, width: 1, tolerating: tolerance, .named("upload"), .undo { _ in }) {
        number, _ in
        if number > 1 { throw TestError(name: "no") }
        return number
      }
      .add("announce", .writesNothing) { _ in }
    let record = try await History.record(of: flow)
    #expect(record.steps.map(\.state) == [.failed, .neverRan])
    #expect(record.cause?.path == "1. upload")
    #expect(record.summary(style: .brief).contains(" at 1. upload\n"))
  }

  @Test func `no secret is shown because JSON writes a slash in two ways`() async throws {
    struct Job: Codable { let url: String }
    let (token, jobs) = (FlowKey<String>("token", sensitive: true), FlowKey<[Job]>("jobs"))
    let secret = "wJalrXUtn/K7MDENG/bPxRfi"
    let flow = Flow("I").set(.count, to: 1).set(token, to: secret).set(jobs, to: [Job(url: secret)])
      .forEach(jobs, width: 1, tolerating: .all, .reads(.count)) { _, _ in throw TestError(name: "no") }
    let record = try await History.record(of: flow, options: StateMachineOptions(sensitiveValues: .plain))
    #expect(record.itemFailures.map(\.input) == [#"{"url":"<redacted>"}"#])
    #expect(!String(decoding: try record.jsonLines(), as: UTF8.self).contains("K7MDENG"))
  }

  @Test(arguments: ["ExecutionTimedOut", "ExecutionFailed"])
  func `an execution that fails without a step has no place`(type: String) throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    _ = history.add(type, ["error": "States.Timeout"])
    let flow = Flow("F").add("s", .writesNothing) { _ in }
    let summary = try FlowExecution.record(of: history.events, flow: flow).summary(style: .brief)
    #expect(summary.hasPrefix("F: failed after 1 s\n"))
  }

  @Test(arguments: [Int.max, -1]) func `no number of retries in a history is too much`(retries: Int) throws {
    var history = History()
    _ = history.add("ExecutionStarted", ["input": "{}"])
    _ = try history.begin("1. s", retry: retries)
    let flow = Flow("F").add("s", .writesNothing) { _ in }
    #expect(try FlowExecution.record(of: history.events, flow: flow).steps.map(\.state) == [.running])
  }
}
