import Dispatch
import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// A key that has a value only on the main queue, where the main actor runs.
private let mainQueueKey = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

@Suite(.watched) struct BlocksTests {
  private var isMain: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

  @Test func `will-start and did-finish come once, on the main thread, around everything else`() async {
    let order = Journal<String>()
    let isDone = Signal()
    _ = mainQueueKey
    let flow = Flow()
      .setWillStartBlock { flow in
        order.append("will start, main: \(isMain), events: \(flow.generateSummary().contains("WillStart"))")
      }
      .setDidFinishBlock { flow in
        order.append("did finish, main: \(isMain), success: \(flow.isSuccess)")
        isDone.fire()
      }
    flow.step {
      order.append("first"); $0.finishSuccessfully()
    }
    .step {
      order.append("second"); $0.finishSuccessfully()
    }
    flow.start()
    await isDone.wait()
    #expect(
      order.entries == [
        "will start, main: true, events: false", "first", "second", "did finish, main: true, success: true",
      ])
  }

  @Test func `the first operation does not start before will-start has returned`() async {
    let (isInside, hasReturned, gate) = (Signal(), Locked(false), Gate())
    let run = Flow()
      .setWillStartBlock { _ in
        isInside.fire()
        gate.pass()
        hasReturned.withLock { $0 = true }
      }
      .step { operation in
        if hasReturned.withLock({ $0 }) { operation.finishSuccessfully() }
      }.start()
    await isInside.wait()
    #expect(run.recorder.log.events.isEmpty)
    gate.open()
    #expect(await run.outcome.isSuccess)
  }

  @Test(arguments: [true, false]) func `they come however the flow ends`(isCancelled: Bool) async {
    let (isDone, finished) = (Signal(), Journal<Bool>())
    let flow = Flow().step { $0.finishWithError(error: TestError()) }.setDidFinishBlock { flow in
      finished.append(flow.isSuccess)
      isDone.fire()
    }
    if isCancelled { flow.setWillStartBlock { $0.cancel() } }
    let outcome = await flow.run()
    await isDone.wait()
    #expect(finished.entries == [false])
    if case .cancelled = outcome { #expect(isCancelled) } else { #expect(outcome.error as? TestError == TestError()) }
  }

  @Test func `did-finish comes when no item and no main logic runs any more`() async {
    let running = Counter()
    let nowAtEnd = Journal<Int>()
    for _ in 0..<50 {
      let isDone = Signal()
      let slow = Work { operation in
        running.enter()
        operation.finishSuccessfully()
        for _ in 0..<200 { operation.log(message: "still at work") }
        running.leave()
      }
      let failing = Work { $0.finishWithError(error: TestError()) }
      Flow.group([slow, slow, slow, failing, slow, slow], width: 4)
        .setDidFinishBlock { _ in
          nowAtEnd.append(running.now)
          isDone.fire()
        }.start()
      await isDone.wait()
    }
    #expect(nowAtEnd.entries == Array(repeating: 0, count: 50))
  }

  @Test func `did-finish does not come before an item that takes no notice of its cancellation`() async {
    let (gate, isDone, isRunning) = (Gate(), Signal(), Signal())
    let stubborn = Work {
      isRunning.fire()
      gate.pass()
      $0.finishSuccessfully()
    }
    let failing = Work { operation in
      operation.startWithAsynchronous()
      Task {
        await isRunning.wait()
        operation.finishWithError(error: TestError())
      }
    }
    let hasStopped = Signal()
    let flow = Flow.group([stubborn, failing], width: 2).setDidFinishBlock { _ in isDone.fire() }
    let run = flow.observe { if case .groupStopped = $0.kind { hasStopped.fire() } }.start()
    await hasStopped.wait()
    await MainActor.run {}
    #expect(!isDone.isOn && run.currentOutcome == nil)
    gate.open()
    await isDone.wait()
    #expect(await run.outcome.error as? TestError == TestError())
  }

  @Test func `the flow can be started again from its own end`() async {
    let (count, isDone) = (Counter(), Signal())
    let flow = Flow().step()
    flow.setDidFinishBlock { flow in
      count.enter()
      if count.total < 5 { flow.start() } else { isDone.fire() }
    }
    flow.start()
    await isDone.wait()
    #expect(count.total == 5)
  }

  @Test func `a run that is cancelled while its will-start block waits for the main thread ends without it`() async {
    let (gate, isBlocked, isDone, order) = (Gate(), Signal(), Signal(), Journal<String>())
    let blocked = Task { @MainActor in
      isBlocked.fire()
      gate.pass()
    }
    await isBlocked.wait()
    let run = Flow("mine")
      .setWillStartBlock { _ in order.append("will start") }
      .setDidFinishBlock { _ in
        order.append("did finish, main: \(isMain)")
        isDone.fire()
      }
      .step { _ in fail("ran") }.start()
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && order.entries.isEmpty)
    #expect(outcome.report.lines == ["[DataBucket] start with:", "[mine] cancel", "[DataBucket] end with:"])
    gate.open()
    await blocked.value
    await isDone.wait()
    await MainActor.run {}
    #expect(order.entries == ["did finish, main: true"])
  }

  @Test func `a refused run waits for its will-start block no longer than until it is cancelled`() async {
    let (gate, isBlocked) = (Gate(), Signal())
    let blocked = Task { @MainActor in
      isBlocked.fire()
      gate.pass()
    }
    await isBlocked.wait()
    let run = Flow().setWillStartBlock { _ in }.start()
    run.cancel()
    #expect(await run.outcome.isSuccess == false)
    gate.open()
    await blocked.value
  }

  @Test func `without blocks a flow needs no main queue`() async {
    let gate = Gate()
    let blocked = Task { @MainActor in gate.pass() }
    #expect(await Flow().step().add(LaterOp()).run().isSuccess)
    gate.open()
    await blocked.value
  }
}
