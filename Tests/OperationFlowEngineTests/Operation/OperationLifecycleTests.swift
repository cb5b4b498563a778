import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct OperationLifecycleTests {
  private func settled(_ lifecycle: OperationLifecycle) -> String {
    guard lifecycle.phase == .settled else { return "\(lifecycle.phase)" }
    return switch lifecycle.settlement {
    case .succeeded: "succeeded"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case nil: "settled without a settlement"
    }
  }

  @Test func `a finish during the main logic ends it when that returns`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    guard case .later = lifecycle.decide(.succeeded) else { return fail("ended too early") }
    #expect(lifecycle.phase == .running)
    guard case .settle = lifecycle.mainLogicReturned() else { return fail("did not end") }
    #expect(settled(lifecycle) == "succeeded")
  }

  @Test func `a finish after the main logic ends it at once`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    lifecycle.startAsynchronously()
    guard case .waitsAlone = lifecycle.mainLogicReturned() else { return fail("does not wait") }
    guard case .settle = lifecycle.decide(.failed(TestError())) else { return fail("did not end") }
    #expect(settled(lifecycle) == "failed: TestError(test)")
  }

  @Test func `returning with nothing said is told apart from waiting`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    guard case .waitsUndeclared = lifecycle.mainLogicReturned() else { return fail("not told apart") }
  }

  @Test func `the first who decides how it ends is the one who counts`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    _ = lifecycle.decide(.failed(TestError(name: "first")))
    guard case .ignore = lifecycle.decide(.succeeded) else { return fail("decided twice") }
    _ = lifecycle.mainLogicReturned()
    guard case .ignore = lifecycle.decide(.succeeded) else { return fail("decided after the end") }
    #expect(settled(lifecycle) == "failed: TestError(first)")
  }

  @Test func `cancelling ends one that waits and leaves one that runs to its return`() {
    var waiting = OperationLifecycle()
    _ = waiting.begin()
    _ = waiting.mainLogicReturned()
    _ = waiting.cancel()
    #expect(settled(waiting) == "cancelled")

    var running = OperationLifecycle()
    _ = running.begin()
    _ = running.cancel()
    #expect(running.phase == .running)
    _ = running.mainLogicReturned()
    #expect(settled(running) == "cancelled")
  }

  @Test func `what was decided before a cancel stands`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    _ = lifecycle.decide(.succeeded)
    _ = lifecycle.cancel()
    _ = lifecycle.mainLogicReturned()
    #expect(settled(lifecycle) == "succeeded")
  }

  @Test func `one that was cancelled or finished before its start never runs`() {
    var cancelled = OperationLifecycle()
    _ = cancelled.cancel()
    guard case .settle = cancelled.begin() else { return fail("runs") }
    #expect(settled(cancelled) == "cancelled")

    var finished = OperationLifecycle()
    _ = finished.decide(.succeeded)
    guard case .settle = finished.begin() else { return fail("runs") }
    #expect(settled(finished) == "succeeded")
  }

  @Test func `one that is cancelled or fails while what it declares is read never does its work`() {
    for isCancelled in [true, false] {
      var lifecycle = OperationLifecycle()
      _ = lifecycle.begin(readsInputs: true)
      #expect(!lifecycle.isAtWork)
      if isCancelled { _ = lifecycle.cancel() } else { _ = lifecycle.decide(.failed(TestError())) }
      let mayWork = lifecycle.beginWork()
      #expect(!mayWork)
      guard case .settle = lifecycle.mainLogicReturned() else { return fail("did not end") }
      #expect(settled(lifecycle) == (isCancelled ? "cancelled" : "failed: TestError(test)"))
    }
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin(readsInputs: true)
    let mayWork = lifecycle.beginWork()
    #expect(mayWork && lifecycle.isAtWork)
  }

  @Test func `a second start is ignored in every phase`() {
    var lifecycle = OperationLifecycle()
    _ = lifecycle.begin()
    guard case .ignore = lifecycle.begin() else { return fail("runs twice") }
    _ = lifecycle.mainLogicReturned()
    guard case .ignore = lifecycle.begin() else { return fail("runs while it waits") }
    _ = lifecycle.decide(.succeeded)
    guard case .ignore = lifecycle.begin() else { return fail("runs after its end") }
  }

  @Test func `only one can claim it and a claim can be given back`() {
    var lifecycle = OperationLifecycle()
    let claims = [lifecycle.claim(), lifecycle.claim()]
    lifecycle.unclaim()
    let claimAgain = lifecycle.claim()
    _ = lifecycle.begin()
    lifecycle.unclaim()
    #expect(lifecycle.phase == .running)
    let claimRunning = lifecycle.claim()
    _ = lifecycle.decide(.succeeded)
    _ = lifecycle.mainLogicReturned()
    let claimEnded = lifecycle.claim()
    #expect(claims == [true, false])
    #expect(claimAgain && !claimRunning && !claimEnded)
  }

  @Test func `only one that waits can be abandoned`() {
    let error = FlowError(.neverFinished, "gone", remedy: "none")
    for steps in 0...2 {
      var lifecycle = OperationLifecycle()
      if steps > 0 { _ = lifecycle.begin() }
      if steps > 1 { _ = lifecycle.mainLogicReturned() }
      let hasEnded = lifecycle.abandon(error) != nil
      #expect(hasEnded == (steps == 2))
    }
  }

  @Test func `random inputs in any order end it exactly once`() {
    for seed in 0..<20_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var lifecycle = OperationLifecycle()
      var endCount = 0
      var hasBegun = false
      for _ in 0..<12 {
        let isOver = lifecycle.phase == .settled
        let before = settled(lifecycle)
        switch random.below(6) {
        case 0:
          switch lifecycle.begin() {
          case .settle: endCount += 1
          case .run:
            #expect(!hasBegun)
            hasBegun = true
          case .ignore: break
          }
        case 1: if case .settle = lifecycle.mainLogicReturned() { endCount += 1 }
        case 2: if case .settle = lifecycle.decide(.succeeded) { endCount += 1 }
        case 3: if case .settle = lifecycle.decide(.failed(TestError())) { endCount += 1 }
        case 4: if lifecycle.phase != .settled, lifecycle.cancelEnds() { endCount += 1 }
        default: lifecycle.startAsynchronously()
        }
        if isOver { #expect(settled(lifecycle) == before) }
      }
      #expect(endCount == (lifecycle.phase == .settled ? 1 : 0), "seed \(seed)")
    }
  }
}

extension OperationLifecycle {
  /// Whether cancelling ends it.
  fileprivate mutating func cancelEnds() -> Bool {
    _ = cancel()
    return phase == .settled
  }
}
