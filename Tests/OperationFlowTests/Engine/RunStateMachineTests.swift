import Testing

@testable import OperationFlow

@Suite struct RunStateMachineTests {
  private static func step(_ condition: FlowCase? = nil, in builder: inout BlueprintBuilder) {
    builder.add(
      Blueprint.Step(name: "op", kind: .operation(.factory(type: .of(SuccessOp.self)) { SuccessOp() })),
      condition: condition
    )
  }

  private static func group(in builder: inout BlueprintBuilder) {
    builder.combine()
    let group = GroupStep(
      creator: SuccessOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))
    builder.add(Blueprint.Step(name: "group", kind: .group(group)), condition: nil)
  }

  private func machine(_ build: (inout BlueprintBuilder) -> Void) -> RunStateMachine {
    var builder = BlueprintBuilder()
    build(&builder)
    return RunStateMachine(builder.blueprint)
  }

  /// What can be claimed, one after the other, where each settles as a success before the next is asked for.
  private func claims(_ machine: inout RunStateMachine) -> [RunWork] {
    var claims: [RunWork] = []
    while let work = machine.claim() {
      claims.append(work)
      if machine.claim() != nil { fail("two at once") }
      _ = machine.settle(work, .settled(.succeeded))
    }
    return claims
  }

  @Test func `nothing can be claimed before it begins`() {
    var machine = machine { Self.step(in: &$0) }
    #expect(machine.claimableCount == 0)
    #expect(claims(&machine) == [])
  }

  @Test func `a flow without steps ends as a success`() {
    var machine = machine { _ in }
    machine.begin()
    guard case .succeeded = machine.ending else { return fail("not a success") }
    #expect(claims(&machine) == [.finish])
    #expect(machine.hasEnded && machine.stepCount == 0)
  }

  @Test func `steps come one by one and the end comes last`() {
    var machine = machine { builder in for _ in 0..<3 { Self.step(in: &builder) } }
    machine.begin()
    #expect(claims(&machine) == [.step(0), .step(1), .step(2), .finish])
    #expect(machine.hasEnded && machine.stepCount == 3)
  }

  @Test(arguments: 0..<3) func `after a failure comes the end, whichever step fails`(position: Int) {
    var machine = machine { builder in for _ in 0..<3 { Self.step(in: &builder) } }
    machine.begin()
    for step in 0...position {
      _ = machine.claim()
      _ = machine.settle(.step(step), .settled(step == position ? .failed(TestError()) : .succeeded))
    }
    guard case .failed = machine.ending else { return fail("not a failure") }
    #expect(claims(&machine) == [.finish])
  }

  @Test func `a chosen branch runs and what follows after it`() {
    var machine = machine { builder in
      Self.step(FlowCase(key: "k", value: "a"), in: &builder)
      Self.step(FlowCase(key: "k", value: "b"), in: &builder)
      builder.combine()
      Self.step(in: &builder)
    }
    machine.begin()
    let first = machine.claim()
    #expect(first == .choose(0))
    _ = machine.settle(.choose(0), .chosen(2))
    #expect(claims(&machine) == [.step(2), .step(3), .finish])
  }

  @Test func `no branch is the end, as a success`() {
    var machine = machine { builder in
      Self.step(FlowCase(key: "k", value: "a"), in: &builder)
      builder.combine()
      Self.step(in: &builder)
    }
    machine.begin()
    _ = machine.claim()
    _ = machine.settle(.choose(0), .chosen(nil))
    guard case .succeeded = machine.ending else { return fail("not a success") }
    #expect(claims(&machine) == [.finish])
  }

  @Test func `a cancel waits for what was claimed, and only for that`() {
    var machine = machine { builder in for _ in 0..<3 { Self.step(in: &builder) } }
    machine.begin()
    _ = machine.claim()
    let reactions = [machine.cancel(), machine.cancel()]
    #expect(reactions == [.cancelRunning, .none])
    #expect(machine.claimableCount == 0)
    _ = machine.settle(.step(0), .settled(.failed(TestError())))
    guard case .cancelled = machine.ending else { return fail("not cancelled") }
    #expect(claims(&machine) == [.finish])
  }

  @Test func `a cancel before the beginning runs nothing, and neither does a refusal`() {
    var cancelled = machine { Self.step(in: &$0) }
    _ = cancelled.cancel()
    #expect(cancelled.claimableCount == 0)
    cancelled.begin()
    #expect(claims(&cancelled) == [.finish])

    var refused = machine { Self.step(in: &$0) }
    refused.refuse(.usedTwice("op"))
    refused.begin()
    guard case .failed = refused.ending else { return fail("not refused") }
    #expect(claims(&refused) == [.finish])
  }

  @Test func `a pause holds operations back, but not the end`() {
    var machine = machine { Self.step(in: &$0) }
    machine.begin()
    machine.isPaused = true
    #expect(claims(&machine) == [])
    _ = machine.cancel()
    #expect(claims(&machine) == [.finish])
  }

  @Test func `random interleavings never exceed the width and end once`() {
    for seed in 0..<5_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var machine = machine { Self.group(in: &$0) }
      let (count, width, tolerates) = (random.below(30), 1 + random.below(5), random.oneIn(2))
      machine.begin()
      _ = machine.claim()
      _ = machine.settle(.plan(0), .planned(count: count, width: width, tolerance: tolerates ? .all : .none))
      var running: [RunWork] = []
      var (claimedCount, isStopped) = (0, false)
      while !machine.hasEnded {
        if random.oneIn(60), machine.cancel() != .none { isStopped = true }
        if random.oneIn(2) || running.isEmpty, let work = machine.claim() {
          if case .item(_, let index) = work {
            #expect(index == claimedCount && !isStopped, "seed \(seed)")
            claimedCount += 1
          } else {
            #expect(running.isEmpty, "seed \(seed): \(work) came while items ran")
          }
          running.append(work)
          #expect(running.count <= width, "seed \(seed)")
        } else if !running.isEmpty {
          let work = running.remove(at: random.below(running.count))
          let fails = random.oneIn(20) && work != .finish
          let reaction = machine.settle(work, .settled(fails ? .failed(TestError()) : .succeeded))
          if reaction != .none { isStopped = true }
        } else {
          return fail("seed \(seed): nothing runs and nothing can be claimed")
        }
      }
      if !isStopped { #expect(claimedCount == count, "seed \(seed)") }
      #expect(running.isEmpty && machine.runningCount == 0, "seed \(seed)")
    }
  }
}
