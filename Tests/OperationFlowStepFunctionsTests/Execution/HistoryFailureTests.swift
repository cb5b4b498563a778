import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct HistoryFailureTests {
  /// The record of what a service's history would tell of an exported flow.
  private func record(of flow: Flow, options: StateMachineOptions = StateMachineOptions()) async throws -> FlowRecord {
    let history = Locked(History())
    let input = String(decoding: try flow.executionInput(options: options), as: UTF8.self)
    history.withLock { _ = $0.add("ExecutionStarted", ["input": input]) }
    let run = try await ExportedRun(flow, options: options) { input, performer in
      let id = history.withLock { $0.begin(task: input) }
      do throws(FlowTaskFailure) {
        let output = try await performer.perform(input)
        history.withLock { $0.succeed(id, output: String(decoding: output, as: UTF8.self)) }
        return output
      } catch {
        history.withLock { $0.fail(id, error.name, cause: error.cause) }
        throw error
      }
    }
    history.withLock { history in
      if let failure = run.failure {
        _ = history.add("ExecutionFailed", ["error": failure.error, "cause": failure.cause])
      } else {
        _ = history.add("ExecutionSucceeded", ["output": "{}"])
      }
    }
    return try FlowExecution.record(of: history.withLock { $0.events }, flow: flow)
  }

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
    let record = try await record(of: flow)
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
    let record = try await record(of: flow, options: StateMachineOptions(sensitiveValues: .plain))
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
