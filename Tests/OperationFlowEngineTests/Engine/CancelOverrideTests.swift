import Foundation
import TestSupport
import Testing

@testable import OperationFlow

private final class ReadingOp: FlowOperation, @unchecked Sendable {
  // `Token` has no empty value.
  @FlowInput var token: Token
  override func mainLogic() { exit(EXIT_FAILURE) }
  override func cancel() {
    super.cancel()
    token.touch()
  }
}

/// Tests what an operation's own `cancel()` may do, and when it is called.
@Suite(.watched) struct CancelOverrideTests {
  /// An operation that waits until it is cancelled, and whose own `cancel()` calls a closure.
  private final class WaitingOp: FlowOperation, @unchecked Sendable {
    private let isWaiting: Signal
    private let whenCancelled: @Sendable (WaitingOp) -> Void

    init(_ isWaiting: Signal, whenCancelled: @escaping @Sendable (WaitingOp) -> Void) {
      self.isWaiting = isWaiting
      self.whenCancelled = whenCancelled
    }

    override func mainLogic() {
      startWithAsynchronous()
      isWaiting.fire()
    }

    override func cancel() { whenCancelled(self) }
    func cancelAsUsual() { super.cancel() }
  }

  /// An item whose `cancel()` doesn't call `super`; the first item fails once the second waits.
  private final class ItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { ItemOp() }
    @FlowInput var item: (number: Int, isWaiting: Signal)
    override func mainLogic() {
      startWithAsynchronous()
      let (number, isWaiting) = item
      if number == 1 { return isWaiting.fire() }
      Task {
        await isWaiting.wait()
        self.finishWithError(error: TestError())
      }
    }
    override func cancel() {}
  }

  @Test func `one that does not call super ends with its run`() async {
    let isWaiting = Signal()
    let run = Flow().add(operation: WaitingOp(isWaiting) { _ in }).start()
    #expect(await run.outcome(cancelledAfter: isWaiting).isCancelled)
  }

  @Test func `so does an item, when another one fails`() async {
    let both = Signal()
    let outcome = await Flow().forEach(
      in: [(0, both), (1, both)], into: "out" as FlowKey<[Int]>, width: 2, run: ItemOp.self
    ).run()
    #expect(outcome.error as? TestError == TestError())
  }

  @Test func `one that waits for its own end is called behind it`() async {
    let (isWaiting, hasEnded) = (Signal(), Journal<Bool>())
    let operation = WaitingOp(isWaiting) { operation in
      hasEnded.append(operation.isFinished && operation.isCancelled)
      operation.cancelAsUsual()
      operation.waitUntilFinished()
    }
    let run = Flow().add(operation: operation).start()
    await isWaiting.wait()
    // Before this phase, a cancelled operation ends only after its main logic.
    while operation.withLifecycle({ $0.phase != .waiting }) { await Task.yield() }
    await inThread { run.cancel() }
    #expect(await run.outcome.isCancelled)
    #expect(hasEnded.entries == [true])
  }

  @Test func `one that never returns holds nothing up, not even the others`() async {
    let (first, second, isCalled, mayReturn) = (Signal(), Signal(), Signal(), Gate())
    let isStuck = { @Sendable (_: WaitingOp) in
      isCalled.fire()
      mayReturn.pass()
    }
    let run = Flow().addParallel(
      "both",
      [
        "a": Flow().add(operation: WaitingOp(first, whenCancelled: isStuck)),
        "b": Flow().add(operation: WaitingOp(second, whenCancelled: isStuck)),
      ]
    ).start()
    await first.wait()
    await second.wait()
    let cancelling = Task { await inThread { run.cancel() } }
    await isCalled.wait()
    #expect(await run.outcome.isCancelled)
    mayReturn.open()
    await cancelling.value
  }

  @Test func `it can read the flow's data, and a finish in it is no mistake, though the operation has ended`() async {
    let (isWaiting, isRunning, mayEnd, read) = (Signal(), Signal(), Gate(), Journal<String?>())
    let operation = WaitingOp(isWaiting) { operation in
      read.append(operation.getData(name: "url"))
      operation.finishWithError(error: TestError())
      operation.cancelAsUsual()
    }
    // The run ends later than the call, so its record would still accept a warning.
    let other = Flow().add("other") { _ in
      isRunning.fire()
      mayEnd.pass()
    }
    let run = Flow().set("url", to: "u").addParallel("both", ["a": Flow().add(operation: operation), "b": other])
      .start()
    await isWaiting.wait()
    await isRunning.wait()
    run.cancel()
    mayEnd.open()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && read.entries == ["u"])
    #expect(!outcome.report.lines.contains { $0.contains("warning") })
    let late: String? = operation.getData(name: "url", isOptional: true)
    #expect(late == nil)
  }

  @Test func `it is not called on an operation that never started`() async {
    let operation = WaitingOp(Signal()) { _ in fail("called") }
    let outcome = await Flow().add("fails") { _ in throw TestError() }.add(operation: operation).run()
    #expect(outcome.error as? TestError == TestError())
    #expect(operation.isFinished && operation.isCancelled)
    guard case .finished(.withError(let error)) = operation.state else { return fail("\(operation.state)") }
    #expect((error as? FlowError)?.code == .cancelled)
  }

  @Test func `it is not called, and nothing runs, if the run is cancelled before the inputs are read`() async {
    await #expect(processExitsWith: .success) {
      let flow = Flow()
      flow.set("token", to: Token(Signal())).add(ReadingOp())
        .observe { [weak flow] in if $0.kind == .started { flow?.cancel() } }
      guard await flow.run().isCancelled else { exit(EXIT_FAILURE) }
    }
  }
}
