import TestSupport
import Testing

@testable import OperationFlow

/// The machine alone, with steps that may be skipped.
@Suite(.watched) struct RunConditionTests {
  private func machine(_ count: Int) -> RunStateMachine {
    var builder = BlueprintBuilder()
    for index in 0..<count {
      let options = StepOptions([StepTrait<Repeatable>.when { _ in true }])
      builder.add(Blueprint.Step(name: "\(index)", kind: .closure(.sync { _ in }), options: options), condition: nil)
    }
    var machine = RunStateMachine(builder.blueprint)
    machine.begin()
    return machine
  }

  @Test func `a step's conditions come before its work, and skipping it leads to the next`() throws {
    var machine = machine(2)
    let checkOffer = machine.claim()
    let check = try #require(checkOffer)
    #expect(check.work == .check(0) && machine.stepCount == 0)
    let (effects, next) = machine.settleAndClaim(check.ticket, .skipped)
    #expect(effects.isEmpty && next?.work == .check(1))
    let second = try #require(next)
    #expect(machine.fraction(reported: [:]) == 0.5)
    let workOffer = machine.settleAndClaim(second.ticket, .settled(.succeeded)).offer
    let work = try #require(workOffer)
    #expect(work.work == .step(1) && machine.stepCount == 1)
    #expect(machine.settleAndClaim(work.ticket, .settled(.succeeded)).offer?.work == .finish)
  }

  @Test func `a pause holds conditions back, for they are a user's work`() {
    var machine = machine(1)
    machine.pause(true)
    #expect(machine.claimableCount == 0)
    machine.pause(false)
    #expect(machine.claim()?.work == .check(0))
  }

  @Test func `a condition that fails ends the run, and a result that does not fit as well`() throws {
    for result in [RunResult.settled(.failed(TestError())), .entered, .chosen(nil)] {
      var machine = machine(2)
      let checkOffer = machine.claim()
      let check = try #require(checkOffer)
      _ = machine.settle(check.ticket, result)
      #expect(machine.ending?.isSuccess == false && machine.claim()?.work == .finish)
    }
    var work = machine(1)
    let checkOffer = work.claim()
    let check = try #require(checkOffer)
    let stepOffer = work.settleAndClaim(check.ticket, .settled(.succeeded)).offer
    let step = try #require(stepOffer)
    _ = work.settle(step.ticket, .skipped)
    #expect((work.ending?.error as? FlowError)?.code == FlowError.misfit.code)
  }
}
