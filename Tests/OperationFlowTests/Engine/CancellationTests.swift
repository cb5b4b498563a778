import Dispatch
import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct CancellationTests {

  @Test func `before the start it cancels nothing`() async {
    let flow = Flow().step()
    flow.cancel()
    #expect(await flow.run().isSuccess)
  }

  @Test func `before the first operation nothing runs, and the flow ends once, as cancelled`() async {
    let finishes = Tally()
    let operation = BlockOp { _ in fail("ran") }
    let flow = Flow().add(operation: operation).step { _ in fail("ran") }
      .setWillStartBlock { $0.cancel() }.setDidFinishBlock { _ in finishes.add() }
    let outcome = await flow.run()
    #expect(outcome.isCancelled)
    #expect(!flow.isSuccess && (flow.error as? FlowError)?.code == .cancelled)
    #expect(throws: CancellationError.self) { try outcome.get() }
    #expect(operation.isFinished && operation.isCancelled)
    #expect(outcome.report.stepCount == 0)
    flow.cancel()
    await finishes.reach(1)
    await MainActor.run {}
    #expect(finishes.count == 1)
  }

  @Test func `while one waits asynchronously it settles at once`() async {
    let (isWaiting, held) = (Signal(), Journal<BlockOp>())
    let last = BlockOp { _ in fail("ran") }
    let run = Flow("mine")
      .step("op") {
        $0.startWithAsynchronous()
        held.append($0)
        isWaiting.fire()
      }
      .add(operation: last).start()
    let outcome = await run.outcome(cancelledAfter: isWaiting)
    #expect(outcome.isCancelled)
    #expect(
      outcome.report.lines == [
        "[DataBucket] start with:", "[op] WillStart", "[mine] cancel", "[op] DidFinish: cancelled",
        "[DataBucket] end with:",
      ])
    #expect(
      outcome.report.summary.hasSuffix(
        "Flow isSuccess: false, cancelled by a call of cancel()\n======    Ending    ======\n"))
    held.entries.first?.finishSuccessfully()
    #expect(held.entries.first?.isCancelled == true && last.isFinished)
    #expect(run.currentOutcome?.isCancelled == true)
  }

  @Test func `while a main logic runs it settles when that returns`() async {
    let (isRunning, gate) = (Signal(), Gate())
    let operation = BlockOp { operation in
      isRunning.fire()
      gate.pass()
      operation.startWithAsynchronous()
    }
    let run = Flow().add(operation: operation).start()
    await isRunning.wait()
    run.cancel()
    #expect(operation.isCancelled && operation.isExecuting && run.currentOutcome == nil)
    gate.open()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `steps that have not started are settled at once, though one still runs`() async {
    let (isRunning, gate) = (Signal(), Gate())
    let later = SuccessOp()
    let run = Flow().step {
      isRunning.fire()
      gate.pass()
      $0.finishSuccessfully()
    }.add(operation: later).start()
    await isRunning.wait()
    run.cancel()
    let isSettled = later.isFinished
    gate.open()
    #expect(await run.outcome.isCancelled)
    #expect(isSettled)
  }

  @Test func `steps that have not started have ended when the outcome is known, whatever ends them`() async {
    let (isRunning, isCancelling, mayEnd, mayCancel) = (Signal(), Signal(), Gate(), Gate())
    let later = SuccessOp()
    let run = Flow().add(operation: SlowToCancelOp(isRunning, mayEnd, isCancelling: isCancelling, gate: mayCancel))
      .add(operation: later).start()
    await isRunning.wait()
    // The thread that cancels waits in the operation's `cancel()`, while another one ends the run.
    async let cancelling: Void = inThread { run.cancel() }
    await isCancelling.wait()
    mayEnd.open()
    #expect(await run.outcome.isCancelled)
    let isSettled = later.isFinished
    mayCancel.open()
    await cancelling
    #expect(isSettled)
  }

  @Test func `from inside an operation, which then ends as it says`() async {
    let flow = Flow()
    let outcome = await flow.step("op") { [weak flow] operation in
      flow?.cancel()
      if operation.isCancelled { operation.finishSuccessfully() }
    }.step { _ in fail("ran") }.run()
    #expect(outcome.isCancelled && outcome.report.lines.contains("[op] DidFinish: successfully"))
  }

  @Test func `an operation can override cancel and stop its work`() async {
    for finishes in [true, false] {
      let isWaiting = Signal()
      let operation = StoppableOp(finishesInCancel: finishes) { isWaiting.fire() }
      let run = Flow().add(operation: operation).start()
      #expect(await run.outcome(cancelledAfter: isWaiting).isCancelled)
      #expect(operation.stops.total == 1)
    }
  }

  @Test func `an operation that is cancelled alone ends its flow as cancelled`() async {
    let operation = BlockOp { $0.startWithAsynchronous() }
    operation.cancel()
    #expect(await Flow().step().add(operation: operation).step { _ in fail("ran") }.run().isCancelled)
    let isWaiting = Signal()
    let second = BlockOp {
      $0.startWithAsynchronous()
      isWaiting.fire()
    }
    let run = Flow().add(operation: second).step { _ in fail("ran") }.start()
    await isWaiting.wait()
    second.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `a group's items are cancelled, and no new one starts`() async {
    for tolerated in [true, false] {
      let waiting = Tally()
      let work = Work {
        $0.startWithAsynchronous()
        waiting.add()
      }
      let run = Flow.group(Array(repeating: work, count: 50), width: 3, allowFailure: tolerated).start()
      await waiting.reach(3)
      run.cancel()
      let outcome = await run.outcome
      #expect(outcome.isCancelled)
      #expect(outcome.report.events.filter { $0.kind == .started }.count <= 3)
    }
  }

  @Test func `cancelling the awaiting task cancels the run, even before it has begun`() async {
    let isWaiting = Signal()
    let task = Task {
      await Flow().step {
        $0.startWithAsynchronous()
        isWaiting.fire()
      }.run()
    }
    await isWaiting.wait()
    task.cancel()
    #expect(await task.value.isCancelled)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Flow().step { $0.startWithAsynchronous() }.run()
    }
    #expect(await early.value.isCancelled)
  }

  @Test func `after cancel has returned nothing starts any more`() async {
    for _ in 0..<300 {
      let (isOver, lateStarts) = (Locked(false), Counter())
      let flow = Flow()
      for _ in 0..<50 {
        flow.step {
          if isOver.withLock({ $0 }) { lateStarts.enter() }
          $0.finishSuccessfully()
        }
      }
      let run = flow.start()
      await inThread {
        run.cancel()
        isOver.withLock { $0 = true }
      }
      _ = await run.outcome
      // An operation that began before the cancellation may start its main logic after it.
      #expect(lateStarts.total <= 1)
    }
  }
}

/// Waits until it is cancelled.
final class StoppableOp: FlowOperation, @unchecked Sendable {
  let stops = Counter()
  private let finishesInCancel: Bool
  private let isWaiting: @Sendable () -> Void

  init(finishesInCancel: Bool, isWaiting: @escaping @Sendable () -> Void) {
    self.finishesInCancel = finishesInCancel
    self.isWaiting = isWaiting
  }

  override func mainLogic() {
    startWithAsynchronous()
    isWaiting()
  }

  override func cancel() {
    stops.enter()
    if finishesInCancel { finishWithError(error: CancellationError()) }
    super.cancel()
  }
}

/// Waits at a gate in its first `cancel()`.
private final class SlowToCancelOp: FlowOperation, @unchecked Sendable {
  private let isRunning: Signal
  private let mayEnd: Gate
  private let isCancelling: Signal
  private let gate: Gate

  init(_ isRunning: Signal, _ mayEnd: Gate, isCancelling: Signal, gate: Gate) {
    self.isRunning = isRunning
    self.mayEnd = mayEnd
    self.isCancelling = isCancelling
    self.gate = gate
  }

  override func mainLogic() {
    isRunning.fire()
    mayEnd.pass()
    finishSuccessfully()
  }

  override func cancel() {
    let isFirst = !isCancelling.isOn
    isCancelling.fire()
    if isFirst { gate.pass() }
    super.cancel()
  }
}
