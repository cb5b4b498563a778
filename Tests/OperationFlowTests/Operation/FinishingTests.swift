import Dispatch
import Foundation
import OperationFlow
import TestSupport
import Testing

private final class FinishedOp: FlowOperation, @unchecked Sendable {
  @FlowOutput("number") var number: Int?

  override init() {
    super.init()
    number = 7
    finishSuccessfully()
  }
}

@Suite(.watched) struct FinishingTests {
  @Test func `an operation that finishes before it is started writes its outputs all the same`() async {
    for flow in [Flow().add(operation: FinishedOp()), Flow().add(FinishedOp())] {
      let outcome = await flow.run()
      #expect(outcome.isSuccess && outcome.report["number" as FlowKey<Int>] == 7)
    }
  }

  @Test func `finishing before startWithAsynchronous counts`() async {
    let outcome = await Flow().step {
      $0.finishSuccessfully()
      $0.startWithAsynchronous()
    }.run()
    #expect(outcome.isSuccess)
  }

  @Test func `an asynchronous failure that comes before startWithAsynchronous stays a failure`() async {
    for _ in 0..<500 {
      let outcome = await Flow().step { operation in
        let isDone = DispatchSemaphore(value: 0)
        Thread {
          operation.finishWithError(error: TestError())
          isDone.signal()
        }.start()
        isDone.wait()
        operation.startWithAsynchronous()
      }.run()
      #expect(outcome.error as? TestError == TestError())
    }
  }

  @Test func `the first finish counts and the second is recorded`() async {
    let outcome = await Flow().step("op") {
      $0.finishWithError(error: TestError(name: "first"))
      $0.finishSuccessfully()
      $0.finishWithError(error: TestError(name: "third"))
    }.run()
    #expect(outcome.error as? TestError == TestError(name: "first"))
    #expect(
      outcome.report.lines.dropFirst(2).dropLast() == [
        "[op] warning: finished again: ignored (successfully)",
        "[op] warning: finished again: ignored (withError: TestError(third))",
        "[op] DidFinish: withError: TestError(first)",
      ])
  }

  @Test func `a finish after the end changes nothing and is recorded`() async {
    let (late, isOver) = (Journal<BlockOp>(), Signal())
    let outcome = await Flow()
      .step("first") {
        late.append($0)
        $0.finishSuccessfully()
      }
      .step("second") { operation in
        late.entries.first?.finishWithError(error: TestError())
        operation.finishSuccessfully()
        isOver.fire()
      }.run()
    await isOver.wait()
    #expect(outcome.isSuccess)
    #expect(outcome.report.lines.contains("[first] warning: finished again: ignored (withError: TestError(test))"))
    late.entries.first?.finishWithError(error: TestError())
    #expect(late.entries.first?.isFinished == true)
  }

  @Test func `two threads that disagree leave one of both ends`() async {
    for _ in 0..<300 {
      let operation = BlockOp { $0.startWithAsynchronous() }
      let run = Flow().add(operation: operation).start()
      await atOnce({ operation.finishSuccessfully() }, { operation.finishWithError(error: TestError()) })
      let outcome = await run.outcome
      let state = operation.state
      switch state {
      case .finished(.successfully): #expect(outcome.isSuccess)
      case .finished(.withError): #expect(outcome.error as? TestError == TestError())
      default: fail("ended as \(state)")
      }
    }
  }

  @Test func `finishing before the start decides the end, and the main logic does not run`() async {
    let operation = BlockOp { _ in fail("ran") }
    operation.finishWithError(error: TestError())
    if case .idle = operation.state {} else { fail("ended before it was started") }
    let outcome = await Flow().add(operation: operation).run()
    #expect(outcome.error as? TestError == TestError())
  }

  @Test func `startWithAsynchronous before the start does no harm`() async {
    let operation = BlockOp()
    operation.startWithAsynchronous()
    #expect(await Flow().add(operation: operation).run().isSuccess)
  }

  @Test func `an operation that overrides nothing fails with the remedy`() async throws {
    let error = try #require(await Flow().add(FlowOperation()).run().error as? FlowError)
    #expect(error.code == .notImplemented)
    #expect(error.description.contains("mainLogic()"))
  }

  @Test func `a cancellation error ends an operation and its flow as cancelled`() async {
    let outcome = await Flow().step { $0.finishWithError(error: CancellationError()) }.step { _ in fail("ran") }.run()
    guard case .cancelled = outcome else { return fail("ended as \(outcome)") }
  }
}
