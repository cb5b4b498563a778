import Testing

@testable import OperationFlow

/// The state machine with parallel branches.
@Suite(.watched) struct RunBranchTests {
  private func chain(_ count: Int) -> Blueprint {
    MachineParts.blueprint { builder in for _ in 0..<count { builder.add(MachineParts.step()) } }
  }

  private func flow(_ inner: Blueprint) -> Blueprint {
    MachineParts.blueprint { $0.addFlow(MachineParts.flow(inner), condition: nil) }
  }

  private func branches(of step: Blueprint.StepID, in blueprint: Blueprint) -> [Blueprint.BlockID] {
    if case .parallel(let branches) = blueprint.steps[step].kind { branches.map(\.block) } else { [] }
  }

  @Test func `branches run at once and meet before what follows`() {
    var machine = RunStateMachine(begun: { builder in
      builder.addParallel([chain(1), chain(2)])
      builder.add(MachineParts.step())
    })
    #expect(machine.perform(.entered) == .enter(3))
    let both = machine.claimAll()
    #expect(both.map(\.work) == [.step(0), .step(1)])
    for offer in both { #expect(machine.settle(offer.ticket, .settled(.succeeded)) == []) }
    #expect((0..<4).map { _ in machine.perform() } == [.step(2), .leave(3), .step(4), .finish])
    #expect(machine.hasEnded && machine.stepCount == 5)
  }

  @Test(arguments: 0..<4) func `branches without steps meet at once`(count: Int) {
    var machine = RunStateMachine(begun: { builder in
      builder.addParallel((0..<count).map { _ in chain(0) })
    })
    #expect(machine.perform(.entered) == .enter(0))
    #expect(machine.tree.openSteps == [0])
    #expect([machine.perform(), machine.perform()] == [.leave(0), .finish])
  }

  @Test func `a failure in one branch cancels the others, and the run waits for them`() {
    var machine = RunStateMachine(begun: { $0.addParallel([chain(2), chain(1)]) })
    machine.perform(.entered)
    let both = machine.claimAll()
    #expect(machine.settle(both[0].ticket, .settled(.failed(TestError()))) == [.cancel(both[1].ticket)])
    #expect(machine.claimableCount == 0 && machine.isStopping(both[1].ticket) && machine.tree.openSteps == [])
    #expect(machine.settle(both[1].ticket, .settled(.failed(TestError(name: "later")))) == [.closed(3)])
    guard case .failed(let error as TestError) = machine.ending else { return fail("not failed") }
    #expect(error == TestError())
    #expect(machine.perform() == .finish)
  }

  @Test func `without a matching case only the branch ends`() {
    let cases = MachineParts.blueprint { builder in
      builder.addCases([(FlowCase(key: "k", value: "a"), InnerFlow(chain(1)))])
      builder.add(MachineParts.step())
    }
    var machine = RunStateMachine(begun: { builder in
      builder.addParallel([cases])
      builder.add(MachineParts.step())
    })
    #expect(machine.perform(.entered) == .enter(3))
    #expect(machine.perform(.chosen(nil)) == .choose(1))
    #expect((0..<3).map { _ in machine.perform() } == [.leave(3), .step(4), .finish])
  }

  @Test func `a cancelled branch is waited for and closes its steps, and the others go on`() {
    let blueprint = MachineParts.blueprint { $0.addParallel([flow(flow(chain(1))), chain(2)]) }
    var machine = RunStateMachine(blueprint)
    machine.begin()
    let entered = (0..<3).map { _ in machine.perform(.entered) }
    #expect(entered == [.enter(5), .enter(2), .enter(1)])
    let both = machine.claimAll()
    #expect(both.map(\.work) == [.step(3), .step(0)] && machine.tree.openSteps == [1, 2, 5])
    let branch = branches(of: 5, in: blueprint)[0]
    #expect(machine.cancelBranch(branch) == [.cancel(both[1].ticket)])
    #expect(machine.cancelBranch(branch) == [])
    #expect(machine.isStopping(both[1].ticket) && !machine.isStopping(both[0].ticket) && !machine.isStopping)
    #expect(machine.settle(both[1].ticket, .settled(.cancelled)) == [.closed(1), .closed(2)])
    #expect(machine.tree.openSteps == [5])
    _ = machine.settle(both[0].ticket, .settled(.succeeded))
    #expect((0..<3).map { _ in machine.perform() } == [.step(4), .leave(5), .finish])
    guard case .succeeded = machine.ending else { return fail("not a success") }
  }

  @Test func `a branch that has nothing claimed ends at once when it is cancelled`() {
    let blueprint = MachineParts.blueprint { $0.addParallel([flow(chain(1))]) }
    var machine = RunStateMachine(blueprint)
    machine.begin()
    machine.perform(.entered)
    machine.perform(.entered)
    machine.pause(true)
    #expect(machine.cancelBranch(branches(of: 2, in: blueprint)[0]) == [.closed(1)])
    #expect([machine.perform(), machine.perform()] == [.leave(2), .finish])
  }

  @Test func `a branch that holds a cancelled one is cancelled with all that was open in both`() {
    let inner = MachineParts.blueprint { $0.addParallel([flow(chain(1))]) }
    let blueprint = MachineParts.blueprint { $0.addParallel([inner]) }
    var machine = RunStateMachine(blueprint)
    machine.begin()
    let entered = (0..<3).map { _ in machine.perform(.entered) }
    #expect(entered == [.enter(3), .enter(2), .enter(1)])
    guard let offer = machine.claim() else { return fail("nothing to claim") }
    #expect(machine.cancelBranch(branches(of: 2, in: blueprint)[0]) == [.cancel(offer.ticket)])
    #expect(machine.cancelBranch(branches(of: 3, in: blueprint)[0]) == [])
    #expect(machine.tree.openSteps == [1, 2, 3])
    #expect(machine.settle(offer.ticket, .settled(.cancelled)) == [.closed(1), .closed(2)])
    #expect(machine.tree.openSteps == [3])
    #expect([machine.perform(), machine.perform()] == [.leave(3), .finish])
  }

  @Test func `a branch that has not begun, has ended, or is none can't be cancelled`() {
    let blueprint = MachineParts.blueprint { $0.addParallel([chain(1), chain(1)]) }
    let all = branches(of: 2, in: blueprint)
    var machine = RunStateMachine(blueprint)
    #expect(machine.cancelBranch(all[0]) == [])
    machine.begin()
    #expect(machine.cancelBranch(all[0]) == [])
    machine.perform(.entered)
    #expect(machine.perform() == .step(0))
    #expect(machine.cancelBranch(all[0]) == [] && machine.cancelBranch(Blueprint.root) == [])
    #expect((0..<3).map { _ in machine.perform() } == [.step(1), .leave(2), .finish])
    #expect(machine.cancelBranch(all[1]) == [])
  }

  @Test func `the progress is the mean of the branches, and a cancelled one counts as done`() {
    let blueprint = MachineParts.blueprint { $0.addParallel([chain(2), chain(1)]) }
    var machine = RunStateMachine(blueprint)
    machine.begin()
    machine.perform(.entered)
    machine.perform()
    #expect(machine.fraction(reported: [:]) == 0.25)
    let both = machine.claimAll()
    let reported = Dictionary(uniqueKeysWithValues: both.map { ($0.ticket, 0.5) })
    #expect(machine.fraction(reported: reported) == 0.25 + 0.125 + 0.25)
    _ = machine.cancelBranch(branches(of: 3, in: blueprint)[0])
    #expect(machine.fraction(reported: [:]) == 0.5)
  }

  @Test func `a long group takes turns with the branches beside it`() {
    let group = MachineParts.blueprint { $0.add(MachineParts.group()) }
    var machine = RunStateMachine(begun: { $0.addParallel([group, chain(100)]) })
    #expect(machine.perform(.entered) == .enter(101))
    #expect(machine.perform(.planned(count: 1_000, width: 100, tolerance: .none)) == .plan(0))
    // The step has waited longer than the group, which comes after each of its items.
    let works = (0..<8).map { _ in machine.perform() }
    #expect(works.count { if case .item? = $0 { true } else { false } } == 4, "\(works)")
  }
}
