import Foundation
import OperationFlow
import TestSupport
import Testing

/// An operation without a flow is an `Operation` like any other.
@Suite(.watched) struct AloneTests {
  private func isSuccess(_ operation: FlowOperation) -> Bool {
    if case .finished(.successfully) = operation.state { true } else { false }
  }

  @Test func `it goes from idle over executing to finished`() async {
    let operation = BlockOp { $0.startWithAsynchronous() }
    #expect(operation.isReady && !operation.isExecuting && !operation.isFinished && operation.isAsynchronous)
    if case .idle = operation.state {} else { fail("not idle") }
    operation.start()
    #expect(operation.isExecuting && !operation.isFinished)
    if case .executing = operation.state {} else { fail("not executing") }
    operation.finishSuccessfully()
    #expect(!operation.isExecuting && operation.isFinished && isSuccess(operation))
  }

  @Test func `a second start does nothing`() {
    let counter = Counter()
    let operation = BlockOp {
      counter.enter()
      $0.finishSuccessfully()
    }
    operation.start()
    operation.start()
    #expect(counter.total == 1)
  }

  @Test func `it keeps values of its own`() async {
    let operation = BlockOp { operation in
      guard let number: Int = operation.getData(name: "number") else { return }
      operation.setData(name: "number", value: number + 1)
      let next: Int? = operation.getData(name: "number")
      if next == 6 { operation.finishSuccessfully() } else { operation.finishWithError(error: TestError()) }
    }
    operation.setData(name: "number", value: 5)
    operation.start()
    #expect(isSuccess(operation))
  }

  @Test func `data that it misses fails it, and is told apart by its state`() {
    let missing = BlockOp { let _: Int? = $0.getData(name: "number") }
    missing.start()
    guard case .finished(.withInsufficientInputData(let problem)) = missing.state else { return fail("not missing") }
    #expect(problem == "can't find <number> in data bucket")

    let mistyped = BlockOp { let _: Int? = $0.getData(name: "number") }
    mistyped.setData(name: "number", value: "five")
    mistyped.start()
    guard case .finished(.withMismatchInputDataType(let text)) = mistyped.state else { return fail("not mistyped") }
    #expect(text == "<number> in data bucket is <five> with type <String>, but NOT type <Int>.")

    let failing = BlockOp { $0.finishWithError(error: TestError()) }
    failing.start()
    guard case .finished(.withError(let error)) = failing.state else { return fail("not failed") }
    #expect(error as? TestError == TestError())
  }

  @Test func `a queue runs it, waits for its asynchronous end, and calls its completion block once`() async {
    for _ in 0..<100 {
      let (queue, counter, isDone) = (OperationQueue(), Counter(), Signal())
      queue.maxConcurrentOperationCount = 1
      let operations = [LaterOp(), SuccessOp(), LaterOp()]
      for operation in operations {
        operation.completionBlock = {
          counter.enter()
          if counter.total == 3 { isDone.fire() }
        }
        queue.addOperation(operation)
      }
      await inThread { queue.waitUntilAllOperationsAreFinished() }
      #expect(operations.allSatisfy { isSuccess($0) })
      await isDone.wait()
      #expect(counter.total == 3)
      #expect(queue.operationCount == 0)
    }
  }

  @Test func `waitUntilFinished returns when it has ended, before and after`() async {
    for isEarly in [true, false] {
      let operation = BlockOp { $0.startWithAsynchronous() }
      operation.start()
      if isEarly { operation.finishSuccessfully() }
      async let waiting: Void = inThread { operation.waitUntilFinished() }
      if !isEarly { operation.finishSuccessfully() }
      await waiting
      #expect(operation.isFinished)
    }
  }

  @Test func `one that is cancelled before its queue starts it leaves the queue without having run`() async {
    let (queue, gate) = (OperationQueue(), BlockOp())
    let operation = BlockOp { _ in fail("ran") }
    let isDone = Signal()
    operation.completionBlock = { isDone.fire() }
    operation.addDependency(gate)
    queue.addOperation(operation)
    operation.cancel()
    gate.start()
    await isDone.wait()
    await inThread { queue.waitUntilAllOperationsAreFinished() }
    #expect(operation.isCancelled && operation.isFinished)
  }

  @Test func `a serial queue that is suspended while all are cancelled begins none of those that wait`() async {
    for _ in 0..<100 {
      let (queue, first) = (OperationQueue(), BlockOp { $0.startWithAsynchronous() })
      queue.maxConcurrentOperationCount = 1
      let others = (0..<10).map { _ in BlockOp { _ in fail("ran") } }
      queue.addOperation(first)
      for operation in others { queue.addOperation(operation) }
      queue.isSuspended = true
      queue.cancelAllOperations()
      queue.isSuspended = false
      await inThread { queue.waitUntilAllOperationsAreFinished() }
      #expect(others.allSatisfy { $0.isCancelled && $0.isFinished } && first.isFinished)
    }
  }

  @Test func `one that is cancelled while it waits ends at once, and a late finish changes nothing`() {
    let operation = BlockOp { $0.startWithAsynchronous() }
    operation.start()
    operation.cancel()
    #expect(operation.isCancelled && operation.isFinished)
    operation.finishSuccessfully()
    guard case .finished(.withError(let error)) = operation.state else { return fail("not cancelled") }
    #expect((error as? FlowError)?.code == .cancelled)
  }

  @Test func `operations that depend on one another run in order on a queue`() async {
    let (queue, order) = (OperationQueue(), Journal<Int>())
    let operations = (0..<20).map { index in
      BlockOp { operation in
        order.append(index)
        operation.startWithAsynchronous()
        DispatchQueue.global().async { operation.finishSuccessfully() }
      }
    }
    for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
    for operation in operations.reversed() { queue.addOperation(operation) }
    await inThread { queue.waitUntilAllOperationsAreFinished() }
    #expect(order.entries == Array(0..<20))
  }
}
