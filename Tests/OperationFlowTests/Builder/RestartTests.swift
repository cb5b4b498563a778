import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct RestartTests {
  private func isUsedTwice(_ outcome: FlowOutcome?) -> Bool {
    guard let error = outcome?.error as? FlowError else { return false }
    return error.code == .operationUsedTwice && error.remedy.contains("add(") && error.flow != nil && error.step != nil
  }

  @Test func `starting while it runs is a clear error, and the first run is untouched`() async {
    let (isRunning, finishes, held) = (Signal(), Tally(), Journal<BlockOp>())
    let operation = BlockOp {
      $0.startWithAsynchronous()
      held.append($0)
      isRunning.fire()
    }
    let flow = Flow().add(operation: operation).setDidFinishBlock { _ in finishes.add() }
    let run = flow.start()
    await isRunning.wait()
    let second = await flow.start().outcome
    #expect(isUsedTwice(second))
    #expect(flow.isSuccess && flow.error == nil && run.currentOutcome == nil)
    held.entries.first?.finishSuccessfully()
    #expect(await run.outcome.isSuccess)
    await finishes.reach(1)
    await MainActor.run {}
    #expect(flow.isSuccess && finishes.count == 1)
  }

  @Test func `starting again with operations that have run is a clear error`() async {
    let flow = Flow().add(operation: SuccessOp()).add(LaterOp())
    #expect(await flow.run().isSuccess)
    let record = flow.generateSummary()
    #expect(isUsedTwice(await flow.run()))
    #expect(flow.isSuccess && flow.error == nil)
    #expect(flow.generateSummary() == record)
  }

  @Test func `starting from two threads at once runs it once, and tells of one end`() async {
    let (runs, finishes, isWrong) = (Counter(), Tally(), Counter())
    for _ in 0..<200 {
      let handles = Journal<FlowRun>()
      let flow = Flow()
        .add(
          operation: BlockOp {
            runs.enter()
            $0.finishSuccessfully()
          }
        )
        .setDidFinishBlock { _ in finishes.add() }
      await atOnce({ handles.append(flow.start()) }, { handles.append(flow.start()) })
      var outcomes: [FlowOutcome] = []
      for handle in handles.entries { outcomes.append(await handle.outcome) }
      #expect(outcomes.filter(\.isSuccess).count == 1)
      #expect(outcomes.filter { isUsedTwice($0) }.count == 1)
      if !flow.isSuccess { isWrong.enter() }
    }
    await finishes.reach(200)
    await MainActor.run {}
    #expect(runs.total == 200)
    #expect(finishes.count == 200 && isWrong.total == 0)
  }

  @Test func `one operation in two flows runs in one of them`() async {
    let (runs, operation) = (Counter(), Locked<BlockOp?>(nil))
    operation.withLock {
      $0 = BlockOp {
        runs.enter(); $0.finishSuccessfully()
      }
    }
    let one = Flow("one")
    let two = Flow("two").step()
    if let operation = operation.withLock({ $0 }) {
      one.add(operation: operation)
      two.add(operation: operation)
    }
    let outcomes = await [one.run(), two.run()]
    #expect(outcomes.filter(\.isSuccess).count == 1)
    #expect(isUsedTwice(outcomes.last))
    #expect(outcomes.last?.report.stepCount == 0)
    #expect(two.error != nil && !two.isSuccess)
    #expect(runs.total == 1)
  }

  @Test func `a creator that hands out the same operation again fails the items`() async {
    final class SameOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static let same = SameOp()
      static func create() -> FlowOperation { same }
      override func mainLogic() { finishSuccessfully() }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["in": [1, 2, 3]])
      .addGrouped(
        operationCreator: SameOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", allowFailure: true)
      ).run()
    #expect(outcome.isSuccess && outcome.report.itemFailures.count == 2)
  }
}
