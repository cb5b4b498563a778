import Testing

@testable import OperationFlow

@Suite(.watched) struct RunStateMachineTests {
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

  /// What can be claimed, one after the other, if each settles as a success before the next is asked for.
  private func claims(_ machine: inout RunStateMachine) -> [RunWork] {
    var claims: [RunWork] = []
    while let offer = machine.claim() {
      claims.append(offer.work)
      if machine.claim() != nil { fail("two at once") }
      _ = machine.settle(offer.ticket, .settled(.succeeded))
    }
    return claims
  }

  /// Claims the next piece of work and settles it.
  private func settle(_ machine: inout RunStateMachine, _ result: RunResult) -> RunWork? {
    guard let offer = machine.claim() else { return nil }
    _ = machine.settle(offer.ticket, result)
    return offer.work
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
      #expect(settle(&machine, .settled(step == position ? .failed(TestError()) : .succeeded)) == .step(step))
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
    #expect(settle(&machine, .chosen(2)) == .choose(0))
    #expect(claims(&machine) == [.step(2), .step(3), .finish])
  }

  @Test func `no branch is the end, as a success`() {
    var machine = machine { builder in
      Self.step(FlowCase(key: "k", value: "a"), in: &builder)
      builder.combine()
      Self.step(in: &builder)
    }
    machine.begin()
    #expect(settle(&machine, .chosen(nil)) == .choose(0))
    guard case .succeeded = machine.ending else { return fail("not a success") }
    #expect(claims(&machine) == [.finish])
  }

  @Test func `a cancel waits for what was claimed, and only for that`() {
    var machine = machine { builder in for _ in 0..<3 { Self.step(in: &builder) } }
    machine.begin()
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    let effects = [machine.cancel(), machine.cancel()]
    #expect(effects == [[.cancel(offer.ticket)], []])
    #expect(machine.claimableCount == 0)
    _ = machine.settle(offer.ticket, .settled(.failed(TestError())))
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
    machine.pause(true)
    #expect(claims(&machine) == [])
    _ = machine.cancel()
    #expect(claims(&machine) == [.finish])
  }

  @Test func `a ticket settles once`() {
    var machine = machine { builder in for _ in 0..<2 { Self.step(in: &builder) } }
    machine.begin()
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    #expect(machine.work(of: offer.ticket) == .step(0))
    _ = machine.settle(offer.ticket, .settled(.succeeded))
    #expect(machine.settle(offer.ticket, .settled(.failed(TestError()))) == [])
    #expect(machine.work(of: offer.ticket) == nil && machine.ending == nil && machine.claimableCount == 1)
  }

  @Test(arguments: [
    RunResult.entered, .chosen(nil), .planned(count: 1, width: 1, tolerance: .none), .pulled(isItem: true),
  ])
  func `a result that does not fit a step fails the run`(result: RunResult) {
    var machine = machine { Self.step(in: &$0) }
    machine.begin()
    #expect(settle(&machine, result) == .step(0))
    guard case .failed(let error as FlowError) = machine.ending else { return fail("not a failure") }
    #expect(error.code == .notImplemented)
    #expect(claims(&machine) == [.finish])
  }

  @Test func `random interleavings never exceed the width and end once`() {
    for seed in 0..<5_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var machine = machine { Self.group(in: &$0) }
      let (count, width, tolerates) = (random.below(30), 1 + random.below(5), random.oneIn(2))
      machine.begin()
      let plan = RunResult.planned(count: count, width: width, tolerance: tolerates ? .all : .none)
      #expect(settle(&machine, plan) == .plan(0))
      var running: [RunOffer] = []
      var (claimedCount, isStopped) = (0, false)
      while !machine.hasEnded {
        if random.oneIn(60), !machine.isStopping {
          let cancelled = machine.cancel().count { if case .cancel = $0 { true } else { false } }
          #expect(cancelled == running.count, "seed \(seed)")
          isStopped = true
        }
        if random.oneIn(2) || running.isEmpty, let offer = machine.claim() {
          if case .item(_, let index) = offer.work {
            #expect(index == claimedCount && !isStopped, "seed \(seed)")
            claimedCount += 1
          } else {
            #expect(running.isEmpty, "seed \(seed): \(offer.work) came while items ran")
          }
          running.append(offer)
          #expect(running.count <= width, "seed \(seed)")
        } else if !running.isEmpty {
          let offer = running.remove(at: random.below(running.count))
          let fails = random.oneIn(20) && offer.work != .finish
          let effects = machine.settle(offer.ticket, .settled(fails ? .failed(TestError()) : .succeeded))
          if !effects.isEmpty { isStopped = true }
        } else {
          return fail("seed \(seed): nothing runs and nothing can be claimed")
        }
      }
      if !isStopped { #expect(claimedCount == count, "seed \(seed)") }
      #expect(running.isEmpty && machine.runningCount == 0, "seed \(seed)")
    }
  }
}
