import Foundation
import OperationFlow
import TestSupport
import Testing

/// Operations of a flow that have dependencies of their own, or that other code changes.
@Suite(.watched) struct DependencyTests {
  @Test func `a dependency that has finished does not matter`() async {
    let (dependency, operation) = (BlockOp(), BlockOp())
    dependency.start()
    operation.addDependency(dependency)
    #expect(await Flow().step().add(operation: operation).step().run().isSuccess)
  }

  @Test func `an operation waits for its dependency, and holds no thread and no other flow meanwhile`() async {
    for isAsynchronous in [true, false] {
      let (dependency, order) = (BlockOp(), Journal<String>())
      let operation = NoticedOp { operation in
        order.append("operation")
        guard isAsynchronous else { return operation.finishSuccessfully() }
        operation.startWithAsynchronous()
        DispatchQueue.global().async { operation.finishSuccessfully() }
      }
      operation.addDependency(dependency)
      let run = Flow().add(operation: operation).step {
        order.append("last"); $0.finishSuccessfully()
      }.start()
      await operation.isNoticed.wait()
      #expect(run.currentOutcome == nil)
      order.append("dependency")
      dependency.start()
      #expect(await run.outcome.isSuccess)
      #expect(order.entries == ["dependency", "operation", "last"])
    }
  }

  @Test func `a dependency on a queue of its own is waited for`() async {
    let queue = OperationQueue()
    for _ in 0..<100 {
      let (dependency, operation, hasRun) = (LaterOp(), BlockOp(), Signal())
      dependency.completionBlock = { hasRun.fire() }
      operation.addDependency(dependency)
      let run = Flow().add(operation: operation).add(LaterOp()).start()
      queue.addOperation(dependency)
      #expect(await run.outcome.isSuccess)
      await hasRun.wait()
    }
  }

  @Test func `an operation that waits for its dependency can be cancelled with its flow`() async {
    let (dependency, operation) = (BlockOp(), NoticedOp { _ in fail("ran") })
    operation.addDependency(dependency)
    let run = Flow().add(operation: operation).step { _ in fail("ran") }.start()
    await operation.isNoticed.wait()
    run.cancel()
    guard case .cancelled = await run.outcome else { return fail("not cancelled") }
    #expect(operation.isFinished)
  }

  @Test func `an operation outside may depend on one in a flow`() async {
    let (operation, queue, isDone) = (LaterOp(), OperationQueue(), Signal())
    let dependent = BlockOperation { isDone.fire() }
    dependent.addDependency(operation)
    queue.addOperation(dependent)
    #expect(await Flow().step().add(operation: operation).run().isSuccess)
    await isDone.wait()
  }

  @Test func `completion block and waitUntilFinished work in a flow`() async {
    for make in [{ SuccessOp() }, { LaterOp() }] as [() -> FlowOperation] {
      let (operation, completions) = (make(), Tally())
      operation.completionBlock = { completions.add() }
      async let waiting: Void = inThread { operation.waitUntilFinished() }
      #expect(await Flow().step().add(operation: operation).run().isSuccess)
      await waiting
      await completions.reach(1)
      #expect(completions.count == 1)
    }
  }

  @Test func `one that somebody starts by hand before its turn does not stop its flow for ever`() async {
    let (operation, counter) = (Locked<BlockOp?>(nil), Counter())
    let second = BlockOp {
      counter.enter()
      $0.finishSuccessfully()
    }
    operation.withLock { $0 = second }
    let run = Flow()
      .step {
        operation.withLock { $0 }?.start()
        $0.finishSuccessfully()
      }
      .add(operation: second).start()
    let outcome = await run.outcome
    #expect(counter.total == 1)
    #expect((outcome.error as? FlowError)?.code == .operationUsedTwice)
  }

  @Test func `one that is on somebody's queue as well, and waits there, does not stop the program`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<100 {
        let (dependency, queue, operation) = (BlockOp(), OperationQueue(), NoticedOp())
        operation.addDependency(dependency)
        queue.addOperation(operation)
        let run = Flow().add(operation: operation).start()
        await operation.isNoticed.wait()
        dependency.start()
        _ = await run.outcome
      }
    }
  }

  @Test func `a value that was set before the run may use the operation when it is let go of`() async {
    // A process of its own: other operations would share a lock that is never released.
    await #expect(processExitsWith: .success) {
      let operation = BlockOp()
      operation.setData(name: "value", value: Token { [weak operation] in _ = operation?.isFinished })
      _ = await Flow().add(operation: operation).run()
    }
  }
}
