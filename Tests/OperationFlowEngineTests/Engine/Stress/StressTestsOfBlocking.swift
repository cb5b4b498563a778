import TestSupport
import Testing

@testable import OperationFlow

/// Tests operations that block their lane while others continue.
@Suite(.heavy) struct StressTestsOfBlocking {
  @Test func `items that block leave the group's other lanes to the rest`() async {
    let (blocked, done, gate) = (Tally(), Tally(), Gate())
    // A blocked thread is missing elsewhere, so each group blocks only one.
    let works = (0..<100).map { index in
      Work { operation in
        if index == 0 {
          blocked.add()
          gate.pass()
        } else {
          done.add()
        }
        operation.finishSuccessfully()
      }
    }
    let run = Flow.group(works, width: 2).start()
    await blocked.reach(1)
    await done.reach(99)
    #expect(run.currentOutcome == nil)
    gate.open()
    let outcome = await run.outcome
    #expect(outcome.isSuccess && RecordCheck(outcome).complaint == nil)
  }

  @Test func `while an operation blocks, its flow can be paused, resumed, read and cancelled`() async {
    let (isBlocked, gate) = (Signal(), Gate())
    let run = Flow().step {
      isBlocked.fire()
      gate.pass()
      $0.finishSuccessfully()
    }.add("never") { _ in fail("ran") }.start()
    await isBlocked.wait()
    run.pause()
    run.resume()
    #expect(run.bucket.value(named: "key") == nil && run.currentOutcome == nil && !run.isPaused)
    run.cancel()
    gate.open()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && RecordCheck(outcome).complaint == nil)
  }
}
