import Testing

@testable import OperationFlow

/// Tests what the simulation doesn't compare with its model: the order of offers, calls at the wrong time, and
/// errors.
@Suite(.watched) struct RunStateMachineTests {
  private func step(_ attempts: AttemptPlan? = nil) -> Blueprint.Step {
    var step = Blueprint.Step(name: "op", kind: .closure(.sync { _ in }))
    step.changeOptions { $0.attempts = attempts }
    return step
  }

  private func blueprint(_ build: (inout BlueprintBuilder) -> Void) -> Blueprint {
    var builder = BlueprintBuilder()
    build(&builder)
    return builder.finish()
  }

  private func chain(_ count: Int) -> Blueprint {
    blueprint { builder in for _ in 0..<count { builder.add(step(), condition: nil) } }
  }

  private func parallel(_ branches: Blueprint...) -> Blueprint {
    blueprint { $0.addParallel("parallel", branches.enumerated().map { ("\($0)", InnerFlow($1)) }) }
  }

  /// Claims the next piece of work and settles it; `nil` if there is none.
  @discardableResult
  private func perform(_ machine: inout RunStateMachine, _ result: RunResult = .settled(.succeeded)) -> RunWork? {
    guard let offer = machine.claim() else { return nil }
    _ = machine.settle(offer.ticket, result)
    return offer.work
  }

  /// Performs all further work, one piece after the other, with success, and returns it.
  private func rest(_ machine: inout RunStateMachine) -> [RunWork] {
    var works: [RunWork] = []
    while let work = perform(&machine) { works.append(work) }
    return works
  }

  @Test func `nothing can be claimed before it begins, and steps come one by one and then the end`() {
    for count in [0, 3] {
      var machine = RunStateMachine(chain(count))
      #expect(machine.claimableCount == 0 && machine.claim() == nil)
      machine.begin()
      #expect(rest(&machine) == (0..<count).map { RunWork(.step, of: $0) } + [.finish])
      #expect(machine.hasEnded && machine.stepCount == count && machine.ending?.isSuccess == true)
    }
  }

  @Test func `a ticket settles once`() throws {
    var machine = RunStateMachine(chain(2))
    machine.begin()
    let claimed = machine.claim()
    let offer = try #require(claimed)
    #expect(machine.work(of: offer.ticket) == RunWork(.step, of: 0))
    _ = machine.settle(offer.ticket, .settled(.succeeded))
    #expect(machine.settle(offer.ticket, .settled(.failed(TestError()))).effects == [])
    #expect(machine.work(of: offer.ticket) == nil && machine.ending == nil && machine.claimableCount == 1)
  }

  @Test(arguments: [
    RunResult.entered, .chosen(nil), .planned(count: 1, width: 1, tolerance: .none), .pulled(isItem: true), .skipped,
  ])
  func `a result that does not fit fails the run, is called a fault of the library, and is not tried again`(
    result: RunResult
  ) {
    var machine = RunStateMachine(blueprint { $0.add(step(AttemptPlan(count: 3)), condition: nil) })
    machine.begin()
    #expect(perform(&machine, result) == RunWork(.step, of: 0))
    #expect((machine.ending?.error as? FlowError)?.code == .notImplemented && rest(&machine) == [.finish])
  }

  @Test func `a refusal ends it before anything has run`() {
    var machine = RunStateMachine(chain(1))
    machine.refuse(.failed(FlowError.usedTwice("op")))
    machine.begin()
    #expect((machine.ending?.error as? FlowError)?.code == .operationUsedTwice && rest(&machine) == [.finish])
  }

  @Test func `a timeout that has its place keeps it, whatever the attempt says`() {
    for settlement in [Settlement.succeeded, .cancelled, .failed(TestError())] {
      let ticket = WorkTicket(place: 0)
      var attempts = AttemptScope(
        work: RunWork(.step, of: 0), plan: AttemptPlan(count: 1, timeout: .seconds(1)), stage: .running(ticket))
      #expect(attempts.timeIsOver() == ticket)
      let located = FlowError.timedOut(.seconds(1)).located(flow: "flow", step: "step")
      var second = attempts
      guard case .ended(let plain) = attempts.attemptEnded(settlement),
        case .ended(let placed) = second.attemptEnded(.failed(located))
      else { return fail("not ended") }
      #expect((plain.error as? FlowError)?.code == .timedOut && (placed.error as? FlowError)?.step == "step")
    }
  }

  @Test func `a long group takes turns with the branches beside it`() {
    let dispatcher = FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out")
    let group = Blueprint.Step(name: "group", kind: .group(GroupStep(creator: SuccessOp.self, dispatcher: dispatcher)))
    var machine = RunStateMachine(parallel(blueprint { $0.add(group, condition: nil) }, chain(100)))
    machine.begin()
    #expect(perform(&machine, .entered) == RunWork(.enter, of: 101))
    #expect(perform(&machine, .planned(count: 1_000, width: 100, tolerance: .none)) == RunWork(.plan, of: 0))
    // The step has waited longer than the group, which is last again after each of its items.
    let works = (0..<8).map { _ in perform(&machine) }
    #expect(works.count { $0?.kind == .item } == 4, "\(works)")
  }
}
