import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct FlowTaskFailureTests {
  @Test(arguments: [true, false]) func `its name says whether another attempt may succeed`(mayBeRetried: Bool) {
    let failure = FlowTaskFailure(cause: "x", mayBeRetried: mayBeRetried)
    #expect(failure.name == (mayBeRetried ? "OperationFlow.Failed" : "OperationFlow.Final"))
  }

  @Test func `its cause is no longer than engines take`() {
    for text in [String(repeating: "a", count: 50_000), String(repeating: "👍", count: 20_000)] {
      let cause = FlowTaskFailure(cause: text, mayBeRetried: true).cause
      #expect(cause.utf16.count <= 32_010 && text.hasPrefix(cause.dropLast(2)))
    }
  }
}
