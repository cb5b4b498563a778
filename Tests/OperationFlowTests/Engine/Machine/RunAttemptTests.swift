import Testing

@testable import OperationFlow

/// The state machine with attempts and timers.
@Suite(.watched) struct RunAttemptTests {
  private func machine(_ plan: AttemptPlan) -> RunStateMachine {
    RunStateMachine(begun: { builder in
      builder.add(MachineParts.step(plan))
      builder.add(MachineParts.step())
    })
  }

  private func timer(_ effect: RunEffect?) -> TimerID? {
    if case .start(let timer, _)? = effect { timer } else { nil }
  }

  private let failure = RunResult.settled(.failed(TestError()))

  @Test func `a failed step is tried again, and begins once`() {
    var machine = machine(AttemptPlan(count: 3))
    var attempts: [Int] = []
    for result in [failure, failure, .settled(.succeeded)] {
      guard let offer = machine.claim() else { return fail("nothing to claim") }
      #expect(offer.work == .step(0) && offer.timer == nil && machine.stepCount == 1)
      attempts.append(offer.attempt)
      #expect(machine.settle(offer.ticket, result) == [])
    }
    #expect(attempts == [1, 2, 3])
    #expect([machine.perform(), machine.perform()] == [.step(1), .finish])
  }

  @Test func `the last attempt's failure is the run's`() {
    var machine = machine(AttemptPlan(count: 2))
    machine.perform(failure)
    machine.perform(.settled(.failed(TestError(name: "last"))))
    guard case .failed(let error as TestError) = machine.ending else { return fail("not failed") }
    #expect(error == TestError(name: "last"))
    #expect(machine.perform() == .finish)
  }

  @Test func `a cancelled attempt is not tried again`() {
    var machine = machine(AttemptPlan(count: 2))
    machine.perform(.settled(.cancelled))
    guard case .cancelled = machine.ending else { return fail("not cancelled") }
  }

  @Test func `the next attempt waits for its delay`() {
    var machine = machine(AttemptPlan(count: 2, delay: .seconds(5)))
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    let effects = machine.settle(offer.ticket, failure)
    guard case .start(let timer, .seconds(5))? = effects.first else { return fail("no delay: \(effects)") }
    #expect(effects.count == 1 && machine.claimableCount == 0 && machine.runningCount == 0)
    #expect(machine.fire(timer) == [])
    #expect(machine.claim()?.attempt == 2)
    #expect(machine.fire(timer) == [] && machine.claimableCount == 0)
  }

  @Test func `an attempt that takes too long is cancelled, fails, and is tried again`() {
    var machine = machine(AttemptPlan(count: 2, timeout: .seconds(1)))
    guard let first = machine.claim(), let timer = timer(first.timer) else { return fail("no timer") }
    #expect(first.timer == .start(timer, .seconds(1)))
    #expect(machine.fire(timer) == [.cancel(first.ticket)])
    #expect(machine.isStopping(first.ticket) && !machine.isStopping)
    let verdict = machine.verdict(first.ticket, .succeeded)
    #expect(verdict.timeout?.code == .timedOut && !verdict.isFinal)
    #expect(machine.settle(first.ticket, .settled(.succeeded)) == [])
    guard let second = machine.claim(), let timer = self.timer(second.timer) else { return fail("no timer") }
    #expect(second.attempt == 2)
    _ = machine.fire(timer)
    #expect(machine.verdict(second.ticket, .succeeded).isFinal)
    _ = machine.settle(second.ticket, .settled(.cancelled))
    guard case .failed(let error as FlowError) = machine.ending else { return fail("not failed") }
    #expect(error.code == .timedOut)
  }

  @Test func `an attempt that ends in time stops its timer, which changes nothing any more`() {
    var machine = machine(AttemptPlan(timeout: .seconds(1)))
    guard let offer = machine.claim(), let timer = timer(offer.timer) else { return fail("no timer") }
    #expect(machine.settle(offer.ticket, .settled(.succeeded)) == [.stop(timer)])
    #expect(machine.fire(timer) == [])
    #expect(machine.perform() == .step(1))
  }

  @Test func `cancelling stops the timers of what runs and what waits`() {
    let retried = MachineParts.blueprint { $0.add(MachineParts.step(AttemptPlan(count: 2, delay: .seconds(1)))) }
    let timed = MachineParts.blueprint { $0.add(MachineParts.step(AttemptPlan(timeout: .seconds(1)))) }
    var machine = RunStateMachine(begun: { $0.addParallel([retried, timed]) })
    machine.perform(.entered)
    let both = machine.claimAll()
    let started = machine.settle(both[0].ticket, failure)
    guard let delay = timer(started.first), let timeout = timer(both[1].timer) else { return fail("no timers") }
    let effects = machine.cancel()
    #expect(Set(effects) == [.closed(0), .cancel(both[1].ticket), .stop(delay), .stop(timeout)] && effects.count == 4)
    #expect(machine.fire(delay) == [] && machine.fire(timeout) == [] && machine.claimableCount == 0)
  }

  @Test func `what has timed out is not cancelled twice`() {
    var machine = machine(AttemptPlan(timeout: .seconds(1)))
    guard let offer = machine.claim(), let timer = timer(offer.timer) else { return fail("no timer") }
    #expect(machine.fire(timer) == [.cancel(offer.ticket)])
    #expect(machine.cancel() == [])
    #expect(machine.claimableCount == 0)
    #expect(machine.settle(offer.ticket, .settled(.cancelled)) == [])
    #expect(machine.perform() == .finish)
  }

  @Test func `a retry waits while the run is paused, and its delay goes on`() {
    var machine = machine(AttemptPlan(count: 2, delay: .seconds(1)))
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    machine.pause(true)
    guard let delay = timer(machine.settle(offer.ticket, failure).first) else { return fail("no delay") }
    #expect(machine.fire(delay) == [] && machine.claimableCount == 0 && machine.claim() == nil)
    machine.pause(false)
    #expect(machine.claim()?.attempt == 2)
  }

  @Test func `an item that is tried again keeps its place, and its last failure is the one that counts`() {
    let plan = AttemptPlan(count: 2, delay: .seconds(1))
    var machine = RunStateMachine(begun: { $0.add(MachineParts.group(plan)) })
    machine.perform(.planned(count: 2, width: 1, tolerance: .none))
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    let effects = machine.settle(offer.ticket, failure)
    guard let delay = timer(effects.first) else { return fail("no delay") }
    #expect(effects.count == 1 && machine.claimableCount == 0)
    _ = machine.fire(delay)
    guard let again = machine.claim() else { return fail("nothing to claim") }
    #expect(again.work == .item(0, index: 0) && again.attempt == 2)
    #expect(machine.settle(again.ticket, failure) == [.groupStopped(0), .closed(0)])
  }

  @Test func `a result that does not fit is not tried again`() {
    var machine = machine(AttemptPlan(count: 3))
    machine.perform(.entered)
    guard case .failed(let error as FlowError) = machine.ending else { return fail("not failed") }
    #expect(error.code == .notImplemented)
  }
}
