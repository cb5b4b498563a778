import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct ClientEngineTests {
  @Test(arguments: Engine.open) func `creating twice changes nothing, and another definition replaces the first`(
    engine: Engine
  ) async throws {
    let client = try engine.client()
    let name = Engine.freshName("twice")
    let activity = try await client.createActivity(name)
    #expect(try await client.createActivity(name) == activity)
    let first = Engine.definition(activity: activity)
    let machine = try await client.deployStateMachine(name, definition: first, roleARN: Engine.roleARN)
    #expect(
      try await client.deployStateMachine(name, definition: first, roleARN: Engine.roleARN) == machine)
    #expect(try await client.stateMachineARN(name) == machine)

    let second = #"{"StartAt":"Other","States":{"Other":{"Type":"Pass","Result":{"second":true},"End":true}}}"#
    #expect(
      try await client.deployStateMachine(name, definition: second, roleARN: Engine.roleARN) == machine)
    let execution = try await client.startExecution(of: machine, name: "a", input: Data("{}".utf8))
    let ended = try await FlowExecution(arn: execution, client: client).outcome()
    #expect(ended.output.map { String(decoding: $0, as: UTF8.self) }?.contains("second") == true)
    try await client.deleteStateMachine(machine)
  }

  @Test(arguments: Engine.open) func `starting twice under one name runs once`(engine: Engine) async throws {
    let client = try engine.client()
    let (activity, first) = try await engine.start("once")
    let name = try #require(first.split(separator: ":").last)
    let machine = try #require(try await client.stateMachineARN(String(first.split(separator: ":")[6])))
    #expect(try await client.startExecution(of: machine, name: String(name), input: Data("{}".utf8)) == first)

    let task = try #require(try await client.getActivityTask(activity))
    try await client.sendTaskSuccess(task.token, output: Data(#"{"done":true}"#.utf8))
    let ended = try await FlowExecution(arn: first, client: client).outcome()
    #expect(ended.status == .succeeded)
    #expect(ended.output == Data(#"{"done":true}"#.utf8) || ended.output == Data(#"{"done": true}"#.utf8))
    // A name still belongs to its first execution after the end of that, even with another input.
    #expect(
      try await client.startExecution(of: machine, name: String(name), input: Data(#"{"other":1}"#.utf8)) == first)
    let events = try await client.executionHistory(first)
    #expect(events.first?.type == "ExecutionStarted" && events.last?.type == "ExecutionSucceeded")
    #expect(events.map(\.id) == Array(1...events.count))
  }

  @Test(arguments: Engine.open) func `a failure's name and cause arrive`(engine: Engine) async throws {
    let client = try engine.client()
    let (activity, execution) = try await engine.start("failure")
    let task = try #require(try await client.getActivityTask(activity, workerName: "w"))
    let cause = String(repeating: "grün 👨‍👩‍👧‍👦 ", count: 5_000)
    try await client.sendTaskFailure(task.token, error: FlowTaskFailure.finalName, cause: cause)
    let ended = try await FlowExecution(arn: execution, client: client).outcome()
    #expect(ended.status == .failed && ended.error == FlowTaskFailure.finalName)
    #expect(ended.cause?.hasSuffix("…") == true && cause.hasPrefix(ended.cause?.dropLast() ?? "-"))
  }

  @Test(arguments: Engine.all) func `what isn't there is told with the ARN's remedy`(engine: Engine) async throws {
    let client = try engine.client()
    let error = await #expect(throws: StepFunctionsError.self) {
      try await client.describeExecution("arn:aws:states:us-east-1:000000000000:execution:none:none")
    }
    #expect(error?.code.description == "ExecutionDoesNotExist")
    #expect(error?.remedy.contains("ARN") == true)
  }

  @Test(arguments: Engine.checking) func `the right secret is accepted, and a wrong one is refused`(
    engine: Engine
  ) async throws {
    let activity = try await engine.client().createActivity(Engine.freshName("signed"))
    #expect(activity.contains("signed"))
    let error = await #expect(throws: StepFunctionsError.self) {
      try await engine.client(secret: "another").createActivity("x")
    }
    #expect(error?.isAboutAccess == true && error?.mayBeRetried == false)
    #expect(error?.remedy.contains("secret key") == true)
    #expect(error?.description.contains("another") == false)
  }

  @Test(arguments: Engine.checking, [1_200.0, -1_200]) func `a clock that is 20 minutes off is told so`(
    engine: Engine, behind: TimeInterval
  ) async throws {
    let error = await #expect(throws: StepFunctionsError.self) {
      try await engine.client(clockBehind: behind).createActivity("x")
    }
    #expect(error?.code == .clockSkew)
    #expect(error?.message.contains("20 minutes \(behind > 0 ? "behind" : "ahead of")") == true)
    #expect(error?.remedy.contains("clock") == true)
  }
}
