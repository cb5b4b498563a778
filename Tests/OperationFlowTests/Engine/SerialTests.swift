import Dispatch
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct SerialTests {
  @Test(arguments: [0, 1, 2, 100]) func `steps run in the order in which they were added`(count: Int) async {
    let order = Journal<Int>()
    let flow = Flow()
    for index in 0..<count {
      flow.step { operation in
        order.append(index)
        if index.isMultiple(of: 2) { return operation.finishSuccessfully() }
        operation.startWithAsynchronous()
        DispatchQueue.global().async { operation.finishSuccessfully() }
      }
    }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && order.entries == Array(0..<count))
    #expect(outcome.report.stepCount == count)
  }

  @Test func `steps never overlap, not even a main logic that is still returning`() async {
    let (running, crew) = (Counter(), Crew(size: 1))
    let flow = Flow()
    for _ in 0..<200 {
      flow.step { operation in
        running.enter()
        operation.startWithAsynchronous()
        let isFinished = Gate()
        // Finishes in a plain thread: this one is blocked, and the pools may have no other.
        crew.give {
          operation.finishSuccessfully()
          isFinished.open()
        }
        isFinished.pass()
        running.leave()
      }
    }
    #expect(await flow.run().isSuccess)
    #expect(running.total == 200 && running.peak == 1)
  }

  @Test(arguments: 0..<5) func `a failure in any position ends the flow with that error`(position: Int) async {
    for isAsynchronous in [true, false] {
      let (visited, finishes) = (Journal<Int>(), Tally())
      let operations = (0..<5).map { index in
        BlockOp { operation in
          visited.append(index)
          guard index == position else { return operation.finishSuccessfully() }
          guard isAsynchronous else { return operation.finishWithError(error: TestError(name: "\(index)")) }
          operation.startWithAsynchronous()
          DispatchQueue.global().async { operation.finishWithError(error: TestError(name: "\(index)")) }
        }
      }
      let flow = Flow().setDidFinishBlock { _ in finishes.add() }
      for operation in operations { flow.add(operation: operation) }
      let outcome = await flow.run()
      #expect(outcome.error as? TestError == TestError(name: "\(position)"))
      #expect(flow.error as? TestError == TestError(name: "\(position)"))
      #expect(visited.entries == Array(0...position))
      #expect(outcome.report.stepCount == position + 1)
      #expect(operations.allSatisfy { $0.isFinished })
      #expect(operations.dropFirst(position + 1).allSatisfy { $0.isCancelled })
      await finishes.reach(1)
      await MainActor.run {}
      #expect(finishes.count == 1)
    }
  }

  @Test func `a caller that waits for a step that is never reached is released`() async {
    let operation = BlockOp { _ in fail("ran") }
    let isDone = Signal()
    operation.completionBlock = { isDone.fire() }
    async let waiting: Void = inThread { operation.waitUntilFinished() }
    _ = await Flow().step { $0.finishWithError(error: TestError()) }.add(operation: operation).run()
    await waiting
    await isDone.wait()
  }

  @Test func `a step that is never reached does not run though it takes no notice of being cancelled`() async {
    let counter = Counter()
    let outcome = await Flow().step { $0.finishWithError(error: TestError()) }
      .add(operation: StubbornOp { counter.enter() }).run()
    #expect(outcome.error as? TestError == TestError())
    #expect(counter.total == 0)
  }
}

/// Ignores being cancelled: it overrides `cancel()` and doesn't call `super`.
final class StubbornOp: FlowOperation, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  override func cancel() {}

  override func mainLogic() {
    body()
    finishSuccessfully()
  }
}
