import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct FlowExecutionTests {
  @Test func `its outcome is asked for with delays that grow, up to ten seconds`() async throws {
    let clock = StepClock(jumps: true)
    let transport = ScriptedTransport { call, number in
      if call.action == "StartExecution" { return #"{"executionArn":"e"}"# }
      return number < 16 ? #"{"executionArn":"e","status":"RUNNING"}"# : #"{"executionArn":"e","status":"ABORTED"}"#
    }
    let client = StepFunctionsClient(transport: transport)
    let execution = try await FlowExecution.start(
      "arn:m", name: "n", input: Data("{}".utf8), client: client, clock: clock)
    #expect(execution.arn == "e")
    #expect(try await execution.outcome().status == .aborted)
    #expect(clock.delays.count == 14)
    #expect(clock.delays.first == .milliseconds(100) && clock.delays.last == .seconds(10))
    #expect(clock.delays == clock.delays.sorted())
  }

  @Test func `it is stopped with a reason`() async throws {
    let transport = ScriptedTransport { _, _ in "{}" }
    let execution = FlowExecution(arn: "e", client: StepFunctionsClient(transport: transport))
    try await execution.stop(error: "E", cause: "C")
    try await execution.stop()
    #expect(
      transport.requests.map(\.members) == [["executionArn": "e", "error": "E", "cause": "C"], ["executionArn": "e"]])
  }

  @Test func `cancelling ends the wait`() async throws {
    let clock = StepClock(jumps: false)
    let transport = ScriptedTransport { _, _ in #"{"executionArn":"e","status":"RUNNING"}"# }
    let execution = FlowExecution(arn: "e", client: StepFunctionsClient(transport: transport), clock: clock)
    let wait = Task { try await execution.outcome() }
    await clock.waiting(1)
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }
}
