import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ParkedWorkTests {
  /// A run of an operation that waits for another one, which is part of no flow.
  private struct Dependent {
    let first = BlockOperation {}
    let isBegun = Tally()
    let run: FlowRun

    init(_ limiter: FlowLimiter? = nil) async {
      let second = BlockOp("second") { [isBegun] operation in
        isBegun.add()
        operation.finishSuccessfully()
      }
      second.addDependency(first)
      let flow = Flow()
      run = (limiter.map { flow.add(operation: second, .limited(by: $0)) } ?? flow.add(operation: second)).start()
      while run.waitingFor.first?.reason != .dependencies { await Task.yield() }
    }

    /// Finishes the other operation, and waits until the run has resumed the parked work.
    func finishFirst() async {
      first.start()
      guard let engine = run.engine else { return fail("has ended") }
      while engine.state.withLock({ $0.machine.parking.resumed.count }) == 0 { await Task.yield() }
    }
  }

  @Test(arguments: [false, true])
  func `an operation whose dependencies finish in a pause starts when the run is resumed`(isLimited: Bool) async {
    let limiter = FlowLimiter(atMost: 1)
    let dependent = await Dependent(isLimited ? limiter : nil)
    dependent.run.pause()
    await dependent.finishFirst()
    #expect(dependent.isBegun.count == 0 && limiter.isIdle)
    dependent.run.resume()
    #expect(await dependent.run.outcome.isSuccess)
    #expect(dependent.isBegun.count == 1 && limiter.isIdle)
  }

  @Test func `what was resumed in a pause can be cancelled`() async {
    let dependent = await Dependent()
    dependent.run.pause()
    await dependent.finishFirst()
    dependent.run.cancel()
    #expect(await dependent.run.outcome.isCancelled)
    #expect(dependent.isBegun.count == 0)
  }

  @Test func `work that got its permit just before a pause gives it back`() async {
    let limiter = FlowLimiter(atMost: 1)
    let (hasBegun, mayEnd, order) = (Signal(), Signal(), Journal<String>())
    // Another flow has the permit. The run's step is next, and is paused in the moment of its turn.
    let holder = Flow().add("holder", .limited(by: limiter)) { _ in await hasBegun.fire(thenAwait: mayEnd) }.start()
    await hasBegun.wait()
    let run = Flow().add("waits", .limited(by: limiter)) { _ in order.append("waits") }.start()
    while limiter.waitingCount == 0 { await Task.yield() }
    guard let engine = run.engine else { return fail("has ended") }
    engine.state.withLock { $0.pendingLaneCount = 1_000 }
    mayEnd.fire()
    while engine.state.withLock({ $0.machine.parking.resumed.count }) == 0 { await Task.yield() }
    run.pause()
    #expect(await holder.outcome.isSuccess)
    #expect(limiter.isIdle && order.entries.isEmpty)
    engine.state.withLock { $0.pendingLaneCount = 0 }
    run.resume()
    #expect(await run.outcome.isSuccess)
    #expect(order.entries == ["waits"] && limiter.isIdle)
  }
}
