import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct StepFunctionsClientTests {
  private func client(
    clock: StepClock = StepClock(jumps: true), attempts: Int = 6, seed: UInt64 = 1, _ transport: ScriptedTransport
  ) -> StepFunctionsClient {
    StepFunctionsClient(transport: transport, attempts: attempts, clock: clock, seed: seed)
  }

  @Test func `a state machine is created`() async throws {
    let transport = ScriptedTransport { _, _ in #"{"stateMachineArn":"arn:m"}"# }
    #expect(try await client(transport).deployStateMachine("m", definition: "{}", roleARN: "r") == "arn:m")
    // The service changes the role of an existing machine only in an update.
    #expect(transport.requests.map(\.action) == ["CreateStateMachine", "UpdateStateMachine"])
    #expect(
      transport.requests[0].members == ["name": "m", "definition": "{}", "roleArn": "r", "type": "STANDARD"])
    #expect(
      transport.requests[1].members == ["stateMachineArn": "arn:m", "definition": "{}", "roleArn": "r"])
  }

  @Test func `a state machine that is there gets the new definition, also if it is on a later page`() async throws {
    let transport = ScriptedTransport { call, number in
      switch call.action {
      case "CreateStateMachine": throw ScriptedTransport.refusal("StateMachineAlreadyExists")
      case "ListStateMachines" where call.members["nextToken"] == nil:
        return #"{"stateMachines":[{"name":"m2","stateMachineArn":"arn:m2"}],"nextToken":"2"}"#
      case "ListStateMachines": return #"{"stateMachines":[{"name":"m","stateMachineArn":"arn:m"}]}"#
      default: return #"{"updateDate":1}"#
      }
    }
    #expect(try await client(transport).deployStateMachine("m", definition: "{2}", roleARN: "r") == "arn:m")
    #expect(transport.requests.last?.action == "UpdateStateMachine")
    #expect(
      transport.requests.last?.members == ["stateMachineArn": "arn:m", "definition": "{2}", "roleArn": "r"])
  }

  @Test func `an activity that is there is found`() async throws {
    let transport = ScriptedTransport { call, _ in
      guard call.action == "ListActivities" else { throw ScriptedTransport.refusal("ActivityAlreadyExists") }
      return #"{"activities":[{"name":"b","activityArn":"arn:b"},{"name":"a","activityArn":"arn:a"}]}"#
    }
    #expect(try await client(transport).createActivity("a") == "arn:a")
  }

  @Test func `an execution that was started under the name before isn't an error`() async throws {
    let transport = ScriptedTransport { call, number in
      if number > 1 { throw ScriptedTransport.refusal("ExecutionAlreadyExists") }
      return #"{"executionArn":"arn:aws:states:r:1:execution:m:n"}"#
    }
    let client = client(transport)
    let machine = "arn:aws:states:r:1:stateMachine:m"
    let first = try await client.startExecution(of: machine, name: "n", input: Data("{}".utf8))
    #expect(try await client.startExecution(of: machine, name: "n", input: Data("{}".utf8)) == first)
    #expect(transport.requests[0].members == ["stateMachineArn": machine, "name": "n", "input": "{}"])
  }

  @Test func `only an execution that has succeeded has an output`() async throws {
    let transport = ScriptedTransport { _, number in
      number == 1
        ? #"{"executionArn":"e","status":"FAILED","output":"{\"Error\":\"x\"}","error":"E","cause":"C"}"#
        : #"{"executionArn":"e","name":"n","status":"SUCCEEDED","output":"{\"a\":1}"}"#
    }
    let failed = try await client(transport).describeExecution("e")
    #expect(failed.status == .failed && failed.output == nil && failed.error == "E" && failed.cause == "C")
    #expect(failed.hasEnded)
    let succeeded = try await client(transport).describeExecution("e")
    #expect(succeeded.output == Data(#"{"a":1}"#.utf8) && succeeded.name == "n")
  }

  @Test func `all pages of a history are read`() async throws {
    let transport = ScriptedTransport { call, _ in
      call.members["nextToken"] == nil
        ? #"{"events":[{"id":1,"type":"ExecutionStarted","timestamp":10.5,"executionStartedEventDetails":{"input":"{}"}}],"#
          + #""nextToken":"n"}"#
        : #"{"events":[{"id":2,"previousEventId":1,"type":"ExecutionAborted","timestamp":"2026-01-01T00:00:00.5Z"}]}"#
    }
    let events = try await client(transport).executionHistory("e")
    #expect(events.map(\.id) == [1, 2])
    #expect(events.map(\.previousID) == [0, 1])
    #expect(events.map(\.type) == ["ExecutionStarted", "ExecutionAborted"])
    #expect(
      events.map(\.date) == [Date(timeIntervalSince1970: 10.5), Date(timeIntervalSince1970: 1_767_225_600.5)])
    #expect(events.map { String(decoding: $0.details, as: UTF8.self) } == [#"{"input":"{}"}"#, "{}"])
  }

  @Test func `an empty poll is no task`() async throws {
    let transport = ScriptedTransport { _, number in
      number == 1 ? "{}" : number == 2 ? #"{"taskToken":null}"# : #"{"taskToken":"t","input":"{\"a\":1}"}"#
    }
    #expect(try await client(transport).getActivityTask("arn:a", workerName: "w") == nil)
    #expect(try await client(transport).getActivityTask("arn:a", workerName: "w") == nil)
    #expect(
      try await client(transport).getActivityTask("arn:a", workerName: "w")
        == ActivityTask(token: "t", input: Data(#"{"a":1}"#.utf8)))
    #expect(transport.requests.allSatisfy { $0.timeout >= .seconds(65) })
  }

  @Test func `answers are sent, and long texts are cut without breaking a character`() async throws {
    let transport = ScriptedTransport { _, _ in "{}" }
    let client = client(transport)
    try await client.sendTaskSuccess("t", output: Data("[1]".utf8))
    try await client.sendTaskHeartbeat("t")
    let family = "👨‍👩‍👧‍👦"
    try await client.sendTaskFailure(
      "t", error: String(repeating: "e", count: 257), cause: String(repeating: family, count: 10_000))
    #expect(transport.requests[0].members == ["taskToken": "t", "output": "[1]"])
    #expect(transport.requests[1].members == ["taskToken": "t"])
    let sent = transport.requests[2].members
    #expect(sent["error"] == String(repeating: "e", count: 255) + "…")
    let cause = try #require(sent["cause"])
    #expect(cause.utf16.count <= 32_768 && cause.utf16.count > 32_768 - family.utf16.count - 1)
    #expect(cause.dropLast().allSatisfy { $0 == Character(family) })
    #expect(ServiceLimits.errorName(String(repeating: "e", count: 256)).hasSuffix("e"))
  }

  @Test func `an output that is too large isn't sent`() async throws {
    let transport = ScriptedTransport { _, _ in "{}" }
    let error = await #expect(throws: StepFunctionsError.self) {
      try await client(transport).sendTaskSuccess("t", output: Data(repeating: 32, count: 256 * 1024 + 1))
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.description.contains("262145 bytes") == true)
    #expect(transport.requests.isEmpty)
    try await client(transport).sendTaskSuccess("t", output: Data(repeating: 32, count: 256 * 1024))
    #expect(transport.requests.count == 1)
  }

  @Test func `an answer that isn't one of the service is a clear error`() async throws {
    let transport = ScriptedTransport { _, _ in "<html>" }
    let error = await #expect(throws: StepFunctionsError.self) { try await client(transport).describeExecution("e") }
    #expect(error?.code == .invalidAnswer && error?.action == "DescribeExecution")
    await #expect(throws: StepFunctionsError.self) { try await client(transport).executionHistory("e") }
  }
}
