import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

extension Engine {
  /// Returns the options with which flows are exported here.
  ///
  /// If a task has a heartbeat, LocalStack loses an answer that arrives before the service waits for one, so there is
  /// none. A task that is lost in another way is offered again after its timeout.
  static func options(distributedGroups: Set<String> = []) -> StateMachineOptions {
    StateMachineOptions(taskTimeout: .seconds(20), heartbeat: nil, distributedGroups: distributedGroups)
  }

  /// Deploys a flow, and returns the ARNs of the activity and of the state machine.
  func deploy(
    _ flow: Flow, options: StateMachineOptions = options()
  ) async throws -> (activity: String, machine: String) {
    let client = try client()
    let activity = try await client.createActivity(Self.freshName("flow"))
    let definition = try flow.amazonStatesLanguage(activity: activity, options: options)
    let machine = try await client.deployStateMachine(
      Self.freshName("flow"), definition: definition.text, roleARN: Self.roleARN)
    return (activity, machine)
  }

  /// Deploys a flow, and runs it with a worker of this process until its end.
  func run(
    _ flow: Flow, with data: [String: any Sendable] = [:], options: StateMachineOptions = options(),
    concurrency: Int = 4, largeValues: FlowLargeValues? = nil
  ) async throws -> StepFunctionsExecution {
    let (activity, machine) = try await deploy(flow, options: options)
    let client = try client()
    let worker = FlowWorker(
      flow, activity: activity, client: client, concurrency: concurrency, largeValues: largeValues)
    let run = Task { try await worker.run() }
    var input = try flow.executionInput(with: data)
    if let largeValues { input = try await flow.executionInput(with: data, largeValues: largeValues) }
    let execution = try await FlowExecution.start(machine, name: "run", input: input, client: client)
    let outcome = try await execution.outcome()
    run.cancel()
    try await run.value
    return outcome
  }

  /// Runs a flow here and on the engine, and expects the same outcome and, after a success, the same values.
  @discardableResult
  func expectSame(
    _ flow: Flow, with data: [String: any Sendable] = [:], options: StateMachineOptions = options(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> StepFunctionsExecution {
    let local = await flow.run(with: data)
    let execution = try await run(flow, with: data, options: options)
    try execution.expectSame(as: local, sourceLocation: sourceLocation)
    return execution
  }
}

extension StepFunctionsExecution {
  /// Expects the result of a run on this machine: its success and its values, or its error.
  func expectSame(
    as local: FlowOutcome, _ comment: Comment = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let facts: Comment = "\(comment) here \(local.error as Any), there \(status) \(error ?? "") \(cause ?? "")"
    guard local.isSuccess else {
      #expect(status == .failed, facts, sourceLocation: sourceLocation)
      if let error = local.error as? TestError {
        #expect(cause?.contains("\(error)") == true, facts, sourceLocation: sourceLocation)
      }
      return
    }
    #expect(status == .succeeded, facts, sourceLocation: sourceLocation)
    guard let output else { return }
    let values = try StateMachineOutput(json: output).values.mapValues { try Value($0) }
    let localValues = try Value(Flow("values").executionInput(with: local.report.data)).members
    #expect(values == localValues, comment, sourceLocation: sourceLocation)
  }
}
