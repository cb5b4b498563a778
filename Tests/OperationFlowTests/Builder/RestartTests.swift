import TestSupport
import Testing

@testable import OperationFlow

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

  @Test func `one operation twice in one flow is refused, and the others are free again`() async {
    let (twice, other) = (SuccessOp(), SuccessOp())
    let flow = Flow().add(operation: other).add(operation: twice).add(operation: twice)
    #expect(isUsedTwice(await flow.run()))
    #expect(!flow.isSuccess)
    #expect(await Flow().add(operation: other).add(operation: twice).run().isSuccess)
  }

  @Test func `an operation that has run alone is refused`() async {
    let operation = SuccessOp()
    operation.start()
    #expect(isUsedTwice(await Flow().add(operation: operation).run()))
  }

  @Test func `a factory that hands out the same operation again fails at that step`() async {
    let operation = SuccessOp()
    let outcome = await Flow().add(operation as FlowOperation).step().add(operation as FlowOperation).run()
    #expect(isUsedTwice(outcome))
    #expect(outcome.report.stepCount == 3)
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
    #expect(outcome.isSuccess)
    #expect(outcome.report.itemFailures.count == 2)
  }

  @Test func `a flow of factories runs again, each time with the data that it began with`() async {
    let flow = Flow().setData(name: "number", value: 1).step {
      guard let number: Int = $0.getData(name: "number") else { return }
      $0.setData(name: "number", value: number + 1)
      $0.finishSuccessfully()
    }
    for _ in 0..<3 { #expect(await flow.run().report.data["number"] as? Int == 2) }
    flow.setData(name: "number", value: 10)
    #expect(await flow.run().report.data["number"] as? Int == 11)
  }

  @Test func `several runs of one flow at once do not mix`() async {
    let flow = Flow().setData(name: "count", value: 0)
    for _ in 0..<20 {
      flow.step { operation in
        guard let count: Int = operation.getData(name: "count") else { return }
        operation.startWithAsynchronous()
        operation.setData(name: "count", value: count + 1)
        Task { operation.finishSuccessfully() }
      }
    }
    let runs = (0..<30).map { _ in flow.start() }
    for run in runs {
      let outcome = await run.outcome
      #expect(outcome.report.data["count"] as? Int == 20)
      #expect(outcome.report.events.filter { $0.kind == .started }.count == 20)
    }
  }

  @Test func `steps that are added while it runs belong to the next run`() async {
    let (flow, visited) = (Flow(), Journal<Int>())
    flow.step { [weak flow] operation in
      visited.append(1)
      flow?.step {
        visited.append(2); $0.finishSuccessfully()
      }
      operation.finishSuccessfully()
    }
    _ = await flow.run()
    #expect(visited.entries == [1])
    _ = await flow.run()
    #expect(visited.entries == [1, 1, 2])
  }
}
