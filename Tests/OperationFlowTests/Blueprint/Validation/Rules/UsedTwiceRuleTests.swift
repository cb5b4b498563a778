import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct UsedTwiceRuleTests {
  @Test func `an object that is added twice is an error`() async {
    let operation = SuccessOp()
    let flow = Flow().add(operation: operation).add(LaterOp()).add(operation: operation)
    #expect(flow.findings == ["error operationUsedTwice at SuccessOp"])
    #expect(await flow.run().code == .operationUsedTwice)
    #expect(operation.state.isIdle)
  }

  @Test func `an object that is added three times is found twice`() {
    let operation = SuccessOp()
    let flow = Flow().add(operation: operation).add(operation: operation).add(operation: operation)
    #expect(flow.faults.count == 2)
  }

  @Test func `it is found across branches and inner flows`() {
    let operation = SuccessOp()
    let inner = Flow("inner").add(operation: operation)
    #expect(Flow().add(flow: inner).add(flow: inner).faults == ["error operationUsedTwice at SuccessOp"])
    let flow = Flow().set("target", to: "A").add(operation: operation).cases(on: "target") {
      $0.when("A") { $0.add(operation: operation) }
    }
    #expect(flow.faults == ["error operationUsedTwice at SuccessOp"])
  }

  @Test func `two objects of a type, and a factory added twice, are fine`() {
    #expect(Flow().add(operation: SuccessOp()).add(operation: SuccessOp()).findings == [])
    let factory = { @Sendable in SuccessOp() }
    #expect(Flow().add(factory()).add(factory()).findings == [])
    #expect(Flow().add(SuccessOp.self).add(SuccessOp.self).findings == [])
  }

  @Test func `an object that has run is refused, and what ran is untouched`() async {
    let flow = Flow().add(operation: SuccessOp())
    #expect(await flow.run().isSuccess)
    let again = await flow.run()
    #expect(again.code == .operationUsedTwice)
    #expect(flow.isSuccess)
  }
}

extension FlowOperationState {
  fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
}
