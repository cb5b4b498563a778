import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct StateMachineOutputTests {
  @Test func `an output has the values and the failures of items, and nothing of the library's own`() async throws {
    let flow = Flow().set(.target, to: "A").forEach(.numbers, into: .squares, tolerating: .all) { number, _ in
      if number < 0 { throw TestError(name: "negative") }
      return number
    }
    let run = try await ExportedRun(flow, with: ["numbers": [1, -1, 2]])
    let output = try StateMachineOutput(json: try run.result.get().data)
    #expect(Set(output.values.keys) == ["target", "numbers", "squares"])
    #expect(output[.squares] == [1, 2] && output[.target] == "A" && output[.count] == nil)
    let failure = try #require(output.itemFailures.first)
    #expect(output.itemFailures.count == 1 && failure.index == 1 && failure.path == "1. numbers")
    #expect(failure.error == FlowTaskFailure.failedName && failure.cause.contains("TestError(negative)"))
  }

  @Test(arguments: ["", "[]", "3"]) func `anything else is an error`(json: String) {
    #expect(throws: FlowTaskFailure.self) { try StateMachineOutput(json: Data(json.utf8)) }
  }
}
