import Foundation
import OperationFlow
import TestSupport
import Testing

private class LastWordOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  class func create() -> FlowOperation { LastWordOp() }
  @FlowInput var item: Int?
  @FlowOutput var output: Int?
  override func mainLogic() {}
  deinit {
    output = 1
    finishSuccessfully()
  }
}

private final class GivingUpOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {}
  deinit { cancel() }
}

/// Counts the calls of the operation's completion block, and returns the operation.
private func operation<Made: FlowOperation>(_ operation: Made, counting completions: Tally) -> Made {
  operation.completionBlock = { completions.add() }
  return operation
}

/// Operations that end while they are being freed.
@Suite(.watched) struct DeinitFinishTests {
  @Test func `finishing then counts, with a completion block as well, which is called`() async {
    await #expect(processExitsWith: .success) {
      let completions = Tally()
      let flow = Flow().add(operation(LastWordOp(), counting: completions))
      for _ in 0..<300 {
        guard await flow.run().isSuccess else { exit(EXIT_FAILURE) }
      }
      await completions.reach(300)
    }
  }

  @Test func `so does cancelling`() async {
    await #expect(processExitsWith: .success) {
      let completions = Tally()
      let flow = Flow().add(operation(GivingUpOp(), counting: completions))
      for _ in 0..<300 {
        guard await flow.run().isCancelled else { exit(EXIT_FAILURE) }
      }
      await completions.reach(300)
    }
  }

  @Test func `an item that ends then leaves its output`() async {
    let outcome = await Flow().forEach(in: 0..<3, into: "out" as FlowKey<[Int]>, run: LastWordOp.self).run()
    #expect(outcome.report["out"] == [1, 1, 1])
  }

  @Test func `an operation that runs alone and is let go of ends, and says so`() async {
    await #expect(processExitsWith: .success) {
      let completions = Tally()
      for isDeclared in [true, false] {
        operation(BlockOp { if isDeclared { $0.startWithAsynchronous() } }, counting: completions).start()
      }
      await completions.reach(2)
      operation(LastWordOp(), counting: completions).start()
      await completions.reach(3)
    }
  }
}
