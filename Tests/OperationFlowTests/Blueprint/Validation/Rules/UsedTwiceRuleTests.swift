import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct UsedTwiceRuleTests {
  @Test func `an object that is added twice is an error`() async {
    let operation = SuccessOp()
    let flow = Flow().add(operation: operation).add(LaterOp()).add(operation: operation)
    #expect(flow.findings == ["error operationUsedTwice at 3. SuccessOp"])
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
    #expect(Flow().add(flow: inner).add(flow: inner).faults == ["error operationUsedTwice at 2. inner > 1. SuccessOp"])
    let flow = Flow().set("target", to: "A").add(operation: operation).cases(on: "target") {
      $0.when("A") { $0.add(operation: operation) }
    }
    #expect(flow.faults == ["error operationUsedTwice at 2. Cases > target=A > 1. SuccessOp"])
  }

  @Test func `two objects of a type, and a factory added twice, are fine`() {
    #expect(Flow().add(operation: SuccessOp()).add(operation: SuccessOp()).findings == [])
    let factory = { @Sendable in SuccessOp() }
    #expect(Flow().add(factory()).add(factory()).findings == [])
    #expect(Flow().add(SuccessOp.create()).add(SuccessOp.create()).findings == [])
  }

  @Test func `an object that a variable holds is found though it is added as what makes one`() async throws {
    let (operation, declaring) = (SuccessOp(), CopyOp("a"))
    let flow = Flow().add(operation).add(LaterOp()).add(operation)
    #expect(flow.findings == ["error operationUsedTwice at 3. SuccessOp"])
    #expect(flow.validate().first?.remedy == "Make it inside the call: add(SuccessOp()).")
    #expect(
      Flow().set("a", to: 1).add(declaring).add(declaring).findings == ["error operationUsedTwice at 2. CopyOp"])
    #expect(Flow().add(operation: operation).add(operation).findings == ["error operationUsedTwice at 2. SuccessOp"])
    #expect(Flow().add(operation).findings == [])
    #expect(operation.state.isIdle && declaring.state.isIdle)
  }

  @Test func `the start refuses it if the class declares something, and else the second step fails with the remedy`()
    async throws
  {
    let (operation, declaring) = (SuccessOp(), CopyOp("a"))
    let refused = await Flow().set("a", to: 1).add(declaring).add(declaring).run()
    #expect(refused.code == .operationUsedTwice && refused.report.started == [])
    let failed = await Flow().add(operation).add(operation, .named("again")).run()
    let error = try #require(failed.error as? FlowError)
    #expect(error.code == .operationUsedTwice && error.step == "again")
    #expect(error.remedy.hasPrefix("Make it inside the call: add(SuccessOp())"))
  }

  @Test func `fresh operations that somebody else holds as well are fine`() {
    let held = Locked([SuccessOp]())
    let make = { @Sendable in
      let operation = SuccessOp()
      held.withLock { $0.append(operation) }
      return operation
    }
    #expect(Flow().add(make()).add(make()).findings == [])
    #expect(held.withLock { $0.count } == 2)
  }

  @Test func `a start makes no operation before its turn if the class declares nothing`() async {
    let made = Counter()
    let make = { @Sendable in
      made.enter()
      return SuccessOp()
    }
    let flow = Flow().add(make()).add(make())
    #expect(await flow.run().isSuccess)
    #expect(made.total == 2)
    #expect(flow.findings == [] && flow.findings == [])
    #expect(made.total == 4)
  }

  @Test func `an object that runs or has run is an error, as at the start`() async {
    let (operation, later) = (SuccessOp(), LaterOp())
    let flow = Flow().add(operation: later).add(operation: operation)
    #expect(flow.findings == [])
    #expect(await flow.run().isSuccess)
    let expected = ["error operationUsedTwice at 1. LaterOp", "error operationUsedTwice at 2. SuccessOp"]
    #expect(flow.faults == expected)
    #expect(await flow.run().code == .operationUsedTwice)
    let other = Flow().add("a") { _ in }.add(operation: operation)
    #expect(other.faults == ["error operationUsedTwice at 2. SuccessOp"])
    let problem = other.validate().first
    #expect(problem?.remedy == "Make an operation for each run: add(SuccessOp()) without a label makes one.")
    #expect(await other.run().code == .operationUsedTwice)
  }

  @Test func `so is one that was started by hand`() {
    let operation = SuccessOp()
    operation.start()
    #expect(Flow().add(operation: operation).faults == ["error operationUsedTwice at 1. SuccessOp"])
    #expect(Flow().add(flow: Flow("inner").add(operation: operation)).faults.count == 1)
  }
}

extension FlowOperationState {
  fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
}
