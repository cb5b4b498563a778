import Testing

@testable import OperationFlow

/// Items that keep their places after their end, because their results are being handed on.
@Suite(.watched) struct RunHandingTests {
  private static let group = GroupStep(
    creator: SuccessOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))

  private func machine(_ count: Int?, width: Int, tolerance: FlowTolerance = .none) -> RunStateMachine {
    var builder = BlueprintBuilder()
    builder.add(Blueprint.Step(name: "group", kind: .group(Self.group)), condition: nil)
    var machine = RunStateMachine(builder.blueprint)
    machine.begin()
    if let plan = machine.claim() {
      _ = machine.settle(plan.ticket, .planned(count: count, width: width, tolerance: tolerance))
    }
    return machine
  }

  private func end(
    _ offer: RunOffer?, _ machine: inout RunStateMachine, _ settlement: Settlement = .succeeded
  ) throws -> (handing: WorkTicket, effects: [RunEffect]) {
    let offer = try #require(offer)
    let claimed = machine.claimHanding(of: offer.ticket)
    let handing = try #require(claimed)
    return (handing, machine.settle(offer.ticket, .settled(settlement)))
  }

  @Test(arguments: [1, 2]) func `no other item takes the place before the result is handed on`(width: Int) throws {
    var machine = machine(5, width: width)
    var offers: [RunOffer?] = []
    for _ in 0..<width { offers.append(machine.claim()) }
    let first = try end(offers[0], &machine)
    #expect(machine.claimableCount == 0 && machine.claim() == nil && machine.runningCount == width)
    #expect(machine.settle(first.handing, .settled(.succeeded)).isEmpty && machine.claimableCount == 1)
    #expect(machine.claim()?.work == .item(0, index: width))
  }

  @Test func `the group ends after the last result is handed on`() throws {
    var machine = machine(1, width: 1)
    let last = try end(machine.claim(), &machine)
    #expect(machine.claim() == nil)
    _ = machine.settle(last.handing, .settled(.succeeded))
    #expect(machine.claim()?.work == .collect(0))
  }

  @Test func `a failure counts at once, and the run ends after its result is handed on`() throws {
    var machine = machine(3, width: 1)
    let failed = try end(machine.claim(), &machine, .failed(TestError()))
    #expect(machine.isStopping && machine.isStopping(failed.handing))
    #expect(failed.effects.contains(.cancel(failed.handing)) && failed.effects.contains(.groupStopped(0)))
    #expect(machine.claim() == nil)
    _ = machine.settle(failed.handing, .settled(.succeeded))
    #expect(machine.claim()?.work == .finish)
  }

  @Test func `what fails while it is handed on fails the run, whatever is tolerated`() throws {
    var machine = machine(3, width: 2, tolerance: .all)
    let first = machine.claim()
    let claimed = machine.claim()
    let second = try #require(claimed)
    let handing = try end(first, &machine).handing
    let effects = machine.settle(handing, .settled(.failed(TestError())))
    #expect(machine.ending?.error is TestError && effects == [.cancel(second.ticket)])
  }

  @Test func `an item that ends after the run's end is handed on as well`() throws {
    var machine = machine(3, width: 1)
    let offer = machine.claim()
    _ = machine.cancel()
    let ended = try end(offer, &machine, .cancelled)
    #expect(machine.isStopping(ended.handing) && machine.claim() == nil)
    _ = machine.settle(ended.handing, .settled(.cancelled))
    #expect(machine.claim()?.work == .finish)
  }

  @Test func `a branch that is cancelled ends after what it hands on`() throws {
    var (inner, builder) = (BlueprintBuilder(), BlueprintBuilder())
    inner.add(Blueprint.Step(name: "group", kind: .group(Self.group)), condition: nil)
    builder.addParallel("both", [("a", InnerFlow(inner)), ("b", InnerFlow(BlueprintBuilder()))])
    var machine = RunStateMachine(builder.blueprint)
    machine.begin()
    let enter = machine.claim()
    if let enter { _ = machine.settle(enter.ticket, .entered) }
    let plan = machine.claim()
    if let plan { _ = machine.settle(plan.ticket, .planned(count: 3, width: 2, tolerance: .none)) }
    let (first, second) = (machine.claim(), machine.claim())
    let before = try end(first, &machine).handing
    let branches = machine.blueprint.steps.flatMap { step in
      if case .parallel(let branches) = step.kind { branches } else { [Blueprint.ParallelBranch]() }
    }
    let branch = try #require(branches.first)
    _ = machine.cancelBranch(branch.block)
    let after = try end(second, &machine).handing
    #expect(machine.isStopping(before) && machine.isStopping(after) && machine.claim() == nil)
    for handing in [before, after] {
      #expect(machine.claim() == nil)
      _ = machine.settle(handing, .settled(.succeeded))
    }
    let last = machine.claim()?.work
    #expect(last.map { if case .leave = $0 { true } else { false } } == true)
  }

  @Test func `items that are pulled wait for a place, too`() throws {
    var machine = machine(nil, width: 1)
    let pull = machine.claim()
    if let pull { _ = machine.settle(pull.ticket, .pulled(isItem: true)) }
    let first = try end(machine.claim(), &machine)
    #expect(machine.claim() == nil)
    _ = machine.settle(first.handing, .settled(.succeeded))
    #expect(machine.claim()?.work == .pull(0))
  }
}
