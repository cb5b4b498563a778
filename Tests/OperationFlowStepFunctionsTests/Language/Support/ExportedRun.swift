import Foundation
import OperationFlow
import OperationFlowStepFunctions
import Testing

let activity = "arn:aws:states:us-east-1:000000000000:activity:Test"

/// A flow that ran on the interpreter.
struct ExportedRun {
  let result: Result<Value, Interpreter.Failure>
  let definition: StateMachineDefinition
  let interpreter: Interpreter

  /// The values at the end, without the library's own; `nil` after a failure.
  var values: [String: Value]? {
    guard case .success(let value) = result else { return nil }
    return value.members?.filter { $0.key != "operationFlow" && $0.value != .null }
  }

  var failure: Interpreter.Failure? { if case .failure(let failure) = result { failure } else { nil } }

  /// Exports the flow, checks the definition's structure, and runs it.
  init(
    _ flow: Flow, with data: [String: any Sendable] = [:], options: StateMachineOptions = StateMachineOptions(),
    sealing: FlowSealing? = nil, _ perform: (@Sendable (Data, FlowTaskPerformer) async throws -> Data)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    definition = try flow.amazonStatesLanguage(activity: activity, options: options)
    #expect(try StructureCheck(definition).problems == [], sourceLocation: sourceLocation)
    let performer = FlowTaskPerformer(flow, sealing: sealing)
    interpreter = Interpreter { input in
      if let perform { return try await perform(input, performer) }
      return try await performer.perform(input)
    }
    result = await interpreter.run(definition, try flow.executionInput(with: data, options: options, sealing: sealing))
  }
}

/// Runs a flow here and on the interpreter, and expects the same outcome and, after a success, the same values.
@discardableResult
func expectSame(
  _ flow: Flow, with data: [String: any Sendable] = [:], options: StateMachineOptions = StateMachineOptions(),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> ExportedRun {
  let outcome = await flow.run(with: data)
  let run = try await ExportedRun(flow, with: data, options: options, sourceLocation: sourceLocation)
  #expect(
    outcome.isSuccess == (run.failure == nil), "\(outcome.error as Any) \(run.result)", sourceLocation: sourceLocation)
  if outcome.isSuccess {
    let local = try Flow("values").executionInput(with: outcome.report.data, options: options)
    #expect(try Value(local).members == run.values, sourceLocation: sourceLocation)
  }
  return run
}
