import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

/// A history that is written event by event, as the service does.
struct History: Sendable {
  var events: [StepFunctionsEvent] = []

  mutating func add(_ type: String, after previous: Int = 0, _ details: [String: Any] = [:]) -> Int {
    let id = events.count + 1
    let event: [String: Any] = [
      "id": id, "previousEventId": previous, "type": type, "timestamp": 1_000 + Double(id), "xEventDetails": details,
    ]
    if let event = StepFunctionsEvent(event) { events.append(event) }
    return id
  }

  /// Adds an attempt that a worker began, and returns the event's number.
  mutating func begin(_ step: String, _ mode: String = "nothing", index: Int? = nil, retry: Int = 0) throws -> Int {
    var input: [String: Any] = ["flow": "sample", "step": step, "mode": mode, "run": "r", "retryCount": retry]
    if let index { (input["index"], input["item"]) = (index, ["a", "b"][index]) }
    return begin(task: try JSONSerialization.data(withJSONObject: input))
  }

  /// Adds an attempt with the task that the worker received, and returns the event's number.
  mutating func begin(task: Data) -> Int {
    let scheduled = add("ActivityScheduled", ["input": String(decoding: task, as: UTF8.self), "resource": "arn:a"])
    return add("ActivityStarted", after: scheduled, ["workerName": "w"])
  }

  mutating func add(_ type: String, _ details: [String: Any]) -> Int { add(type, after: 0, details) }

  mutating func succeed(_ id: Int, output: String = "null") {
    _ = add("ActivitySucceeded", after: id, ["output": output])
  }

  mutating func fail(_ id: Int, _ error: String = FlowTaskFailure.failedName, cause: String = "no") {
    _ = add("ActivityFailed", after: id, ["error": error, "cause": cause])
  }
}

extension History {
  /// Runs an exported flow, and makes a record from the history that a service would write.
  static func record(
    of flow: Flow, options: StateMachineOptions = StateMachineOptions(), sealing: FlowSealing? = nil
  ) async throws -> FlowRecord {
    let history = Locked(History())
    let input = String(decoding: try flow.executionInput(options: options, sealing: sealing), as: UTF8.self)
    history.withLock { _ = $0.add("ExecutionStarted", ["input": input]) }
    let run = try await ExportedRun(flow, options: options, sealing: sealing) { input, performer in
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
      _ = history.add("MapStateSucceeded", [:])
      switch run.result {
      case .success(let value):
        _ = history.add("ExecutionSucceeded", ["output": String(decoding: value.data, as: UTF8.self)])
      case .failure(let failure):
        _ = history.add("ExecutionFailed", ["error": failure.error, "cause": failure.cause])
      }
    }
    return try FlowExecution.record(of: history.withLock { $0.events }, flow: flow)
  }
}
