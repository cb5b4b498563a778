import Testing

@testable import OperationFlow

@Suite(.watched) struct AttemptScopeTests {
  private func scope(_ count: Int, delay: Duration = .zero, timeout: Duration? = nil) -> AttemptScope {
    AttemptScope(.step(0), AttemptPlan(count: count, delay: delay, timeout: timeout))
  }

  /// The next attempt's delay; `nil` if there is none.
  private func delay(_ next: AttemptScope.Next) -> Duration? {
    if case .another(let delay) = next { delay } else { nil }
  }

  private func error(_ next: AttemptScope.Next) -> (any Error)? {
    if case .ended(let settlement) = next { settlement.error } else { nil }
  }

  private var ticket: WorkTicket {
    var slab = Slab<Int>()
    return slab.insert(0)
  }

  @Test func `the first attempt is offered, and runs under its ticket`() {
    var attempts = scope(2)
    #expect(attempts.stage == .offered && attempts.number == 1)
    attempts.begin(ticket)
    #expect(attempts.stage == .running(ticket))
  }

  @Test(arguments: 1..<5) func `a failure is tried again until no attempt is left`(count: Int) {
    var attempts = scope(count)
    for number in 1..<count {
      #expect(delay(attempts.attemptEnded(.failed(TestError()))) == .zero)
      #expect(attempts.number == number + 1 && attempts.stage == .offered)
    }
    #expect(error(attempts.attemptEnded(.failed(TestError()))) is TestError)
  }

  @Test func `a success is not tried again, and neither is a cancellation`() {
    var attempts = scope(3)
    #expect(delay(attempts.attemptEnded(.succeeded)) == nil)
    #expect((error(attempts.attemptEnded(.cancelled)) as? FlowError)?.code == .cancelled)
    #expect(attempts.number == 1)
  }

  @Test func `the next attempt is offered after the delay`() {
    var attempts = scope(2, delay: .seconds(3))
    attempts.begin(ticket)
    #expect(delay(attempts.attemptEnded(.failed(TestError()))) == .seconds(3))
    #expect(attempts.stage == .delayed)
    attempts.offer()
    #expect(attempts.stage == .offered)
  }

  @Test func `what has taken too long has failed, whatever it says`() {
    for settlement in [Settlement.succeeded, .cancelled, .failed(TestError())] {
      var attempts = scope(1, timeout: .seconds(1))
      attempts.begin(ticket)
      attempts.timeOut()
      #expect(attempts.timeoutError?.code == .timedOut)
      #expect((error(attempts.attemptEnded(settlement)) as? FlowError)?.code == .timedOut)
    }
  }

  @Test func `a timeout with its place is kept as it is`() {
    var attempts = scope(1, timeout: .seconds(1))
    attempts.timeOut()
    let located = FlowError.timedOut(.seconds(1)).located(flow: "flow", step: "step")
    #expect((error(attempts.attemptEnded(.failed(located))) as? FlowError)?.step == "step")
  }

  @Test func `the attempt after a timeout has its time anew`() {
    var attempts = scope(2, timeout: .seconds(1))
    attempts.timeOut()
    #expect(delay(attempts.attemptEnded(.succeeded)) == .zero)
    #expect(attempts.timeoutError == nil)
    #expect(error(attempts.attemptEnded(.succeeded)) == nil)
  }
}
