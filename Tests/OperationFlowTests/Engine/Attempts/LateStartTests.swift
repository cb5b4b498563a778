import Foundation
import OperationFlow
import TestSupport
import Testing

/// Work that starts, or is cancelled, only after its time limit.
@Suite(.watched) struct LateStartTests {
  /// Waits until it is cancelled.
  private final class WaitingOp: FlowOperation, @unchecked Sendable {
    let begun: Signal

    init(begun: Signal) { self.begun = begun }

    override func mainLogic() {
      startWithAsynchronous()
      begun.fire()
    }
  }

  /// Returns from `cancel()` only after a signal.
  private final class StubbornOp: FlowOperation, @unchecked Sendable {
    let (begun, mayReturn): (Tally, DispatchSemaphore)

    init(begun: Tally, mayReturn: DispatchSemaphore) { (self.begun, self.mayReturn) = (begun, mayReturn) }

    override func mainLogic() {
      startWithAsynchronous()
      begun.add()
    }

    override func cancel() {
      super.cancel()
      mayReturn.wait()
    }
  }

  @Test func `a cancel() that does not return keeps no other work from timing out`() async {
    let (clock, begun, mayReturn, ends) = (StepClock(), Tally(), DispatchSemaphore(value: 0), Locked(0))
    let flow = Flow().clock(clock)
      .observe { event in
        guard case .finished(.withError) = event.kind else { return }
        // Both have to time out before either of them returns.
        let count = ends.withLock { ends in
          ends += 1
          return ends
        }
        if count == 2 { for _ in 0..<2 { mayReturn.signal() } }
      }
      .parallel { parallel in
        for name in ["a", "b"] {
          parallel.branch(name) {
            $0.add(StubbornOp(begun: begun, mayReturn: mayReturn), .timeout(.seconds(1)), .recover { _, _ in })
          }
        }
      }
    let run = flow.start()
    await begun.reach(2)
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    #expect(await run.outcome.isSuccess)
  }

  @Test func `an operation that is made after it was abandoned takes no place from the next attempt`() async {
    let (clock, isBeingMade, begun, late) = (StepClock(), Signal(), Signal(), Signal())
    let (mayBeMade, count) = (DispatchSemaphore(value: 0), Locked(0))
    @Sendable func make() -> WaitingOp {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst {
        isBeingMade.fire()
        mayBeMade.wait()
      }
      return WaitingOp(begun: begun)
    }
    let flow = Flow().clock(clock)
      .observe { if case .endedLate = $0.kind { late.fire() } }
      .add(make(), .retry(.attempts(2)), .timeout(.seconds(1), abandoningAfter: .zero))
    let run = flow.start()
    // Otherwise the time might be over before the operation is made, and then it is never made.
    await isBeingMade.wait()
    await clock.waiting(1)
    clock.advance(by: .seconds(1))
    // The second attempt runs when the first attempt's operation is made.
    await begun.wait()
    mayBeMade.signal()
    #expect(await run.outcome(cancelledAfter: late).isCancelled)
  }
}
