import Foundation
import OperationFlow
import TestSupport
import Testing

/// Signals that it runs, and finishes once its gate is open.
private final class FirstOp: FlowOperation, @unchecked Sendable {
  let isAtWork = Signal()
  let gate = Gate()
  override func mainLogic() {
    isAtWork.fire()
    gate.pass()
    finishSuccessfully()
  }
}

/// Declares a port, so that the check before the run also calls a factory of it.
private final class DeclaringOp: FlowOperation, @unchecked Sendable {
  @FlowInput var value: Int?
  init(_ dependency: Operation) {
    super.init()
    addDependency(dependency)
  }
  override func mainLogic() { finishSuccessfully() }
}

/// Overwrites memory that was freed.
private func fillMemory(_ seed: Int) {
  for size in 1...40 { withExtendedLifetime(Array(repeating: seed, count: size * 8)) {} }
}

/// Runs `body` many times, each time with an operation outside of a flow, which finishes afterwards.
private func repeatWithOutsider(_ body: (Operation) async -> Void) async {
  await repeatWithOutsider(BlockOperation.init, end: { $0.start() }, body)
}

private func repeatWithOutsider<Outside: Operation>(
  _ make: () -> Outside, end: (Outside) -> Void, _ body: (Outside) async -> Void
) async {
  for round in 0..<300 {
    let outside = make()
    await body(outside)
    fillMemory(round)
    end(outside)
  }
}

/// An operation that has finished and hasn't notified Foundation yet.
///
/// Every operation has this state for a moment.
private final class FinishedOp: Operation, @unchecked Sendable {
  override var isFinished: Bool { true }
  func notify() {
    willChangeValue(forKey: "isFinished")
    didChangeValue(forKey: "isFinished")
  }
}

private func dependent(on dependency: Operation) -> FlowOperation {
  let operation = SuccessOp()
  operation.addDependency(dependency)
  return operation
}

/// Operations that are freed before their dependency has finished.
///
/// A failure would end the process, so each test has one of its own.
@Suite(.heavy) struct FreedDependentTests {
  @Test func `the next step, when the run is cancelled while the one that it depends on is at work`() async {
    await #expect(processExitsWith: .success) {
      func start() -> (FlowRun, isAtWork: Signal, Gate) {
        let first = FirstOp()
        let flow = Flow().add(operation: first).add(operation: dependent(on: first))
        return (flow.start(), first.isAtWork, first.gate)
      }
      for round in 0..<300 {
        let (run, isAtWork, gate) = start()
        await isAtWork.wait()
        run.cancel()
        fillMemory(round)
        gate.open()
        guard await run.outcome.isCancelled else { exit(EXIT_FAILURE) }
      }
    }
  }

  @Test func `a step that is never reached, for a failure or another branch`() async {
    await #expect(processExitsWith: .success) {
      await repeatWithOutsider { outside in
        _ = await Flow().add("fails") { _ in throw TestError() }.add(operation: dependent(on: outside)).run()
      }
      await repeatWithOutsider { outside in
        _ = await Flow().set("key", to: "other")
          .cases(on: "key") {
            $0.when("this") { $0.add(operation: dependent(on: outside)) }.otherwise { $0.addNothing() }
          }.run()
      }
    }
  }

  @Test func `a step of a flow that is never started, and what is made for a check`() async {
    await #expect(processExitsWith: .success) {
      await repeatWithOutsider { outside in _ = Flow().add(operation: dependent(on: outside)) }
      await repeatWithOutsider { outside in _ = Flow().add(DeclaringOp(outside)).validate() }
      await repeatWithOutsider { outside in _ = dependent(on: outside) }
    }
  }

  @Test func `one that waits for its turn when the run is cancelled, and one that was given it late`() async {
    await #expect(processExitsWith: .success) {
      await repeatWithOutsider { outside in
        let operation = NoticedOp { _ in exit(EXIT_FAILURE) }
        operation.addDependency(outside)
        let run = Flow().add(operation: operation).start()
        await operation.isNoticed.wait()
        run.cancel()
        _ = await run.outcome
      }
      await repeatWithOutsider { outside in
        _ = await Flow().step { operation in
          operation.addDependency(outside)
          operation.finishSuccessfully()
        }.run()
      }
    }
  }

  @Test func `one whose dependency has finished, before Foundation is notified of that`() async {
    await #expect(processExitsWith: .success) {
      await repeatWithOutsider(FinishedOp.init, end: { $0.notify() }) { outside in
        _ = await Flow().add("fails") { _ in throw TestError() }.add(operation: dependent(on: outside)).run()
      }
      await repeatWithOutsider(FinishedOp.init, end: { $0.notify() }) { outside in
        let operation = NoticedOp { _ in exit(EXIT_FAILURE) }
        operation.addDependency(outside)
        let run = Flow().add(operation: operation).start()
        await operation.isNoticed.wait()
        run.cancel()
        _ = await run.outcome
      }
      await repeatWithOutsider(FinishedOp.init, end: { $0.notify() }) { outside in
        let operation = SuccessOp()
        _ = await Flow().add(operation: operation).run()
        operation.addDependency(outside)
      }
    }
  }

  @Test func `one that its user holds keeps its dependencies, though a check has looked at it`() {
    let outside = BlockOperation {}
    let operation = DeclaringOp(outside)
    _ = Flow().add(operation).validate()
    _ = Flow().add(operation: operation).validate()
    #expect(operation.dependencies == [outside] && !operation.isReady)
  }

  @Test func `nothing is kept of one that waits for what never comes, once its run is cancelled`() async {
    let (isFreed, outside) = (Signal(), BlockOperation {})
    func start() -> (FlowRun, isNoticed: Signal) {
      let token = Token(isFreed)
      let operation = NoticedOp { _ in token.touch() }
      operation.addDependency(outside)
      return (Flow().add(operation: operation).start(), operation.isNoticed)
    }
    let (run, isNoticed) = start()
    #expect(await run.outcome(cancelledAfter: isNoticed).isCancelled)
    await isFreed.wait()
    #expect(!outside.isFinished)
  }
}
