import Testing

@testable import OperationFlow

/// Drives small flows in every possible order of inputs, with a limited number of interventions.
@Suite(.watched) struct AllOrdersTests {
  private typealias Step = SimulatedFlow.Step
  private typealias Plan = SimulatedFlow.Plan

  private static func work(_ number: Int, _ ends: SimulatedFlow.End..., plan: Plan? = nil) -> Step {
    Step(number: number, plan: plan, kind: .work(ends))
  }

  private static func when(_ condition: SimulatedFlow.Condition, _ step: Step) -> Step {
    var step = step
    step.condition = condition
    return step
  }

  private static func flow(_ number: Int, _ steps: Step...) -> Step { Step(number: number, kind: .flow(steps)) }

  private static func parallel(_ number: Int, _ branches: [Step]...) -> Step {
    Step(number: number, kind: .parallel(branches))
  }

  private static func group(
    _ number: Int, _ items: [SimulatedFlow.End], isStreamed: Bool = false, width: Int = 2, tolerance: Int = 0,
    trouble: SimulatedFlow.Group.Trouble? = nil
  ) -> Step {
    retriedGroup(
      number, items.map { [$0] }, nil, isStreamed: isStreamed, width: width, tolerance: tolerance, trouble: trouble)
  }

  private static func sharedGroup(_ items: [SimulatedFlow.End], share: Int, isStreamed: Bool = false) -> Step {
    let group = SimulatedFlow.Group(
      items: items.map { [$0] }, isStreamed: isStreamed, width: 2, tolerance: 0, share: share)
    return Step(number: 1, kind: .group(group))
  }

  private static func retriedGroup(
    _ number: Int, _ items: [[SimulatedFlow.End]], _ plan: Plan?, isStreamed: Bool = false, width: Int = 2,
    tolerance: Int = 0, trouble: SimulatedFlow.Group.Trouble? = nil
  ) -> Step {
    let group = SimulatedFlow.Group(
      items: items, isStreamed: isStreamed, width: width, tolerance: tolerance, trouble: trouble)
    return Step(number: number, plan: plan, kind: .group(group))
  }

  private static let noMatch = Step(
    number: 9,
    kind: .cases(
      SimulatedFlow.Cases(
        branches: [SimulatedFlow.Cases.Branch(isOtherwise: false, steps: [work(10, .failure)])], match: nil,
        isFlat: true, isCombined: false)))

  private static let serial: [SimulatedFlow] = [
    SimulatedFlow(steps: []),
    SimulatedFlow(steps: [flow(1, work(2, .success)), work(3, .failure)]),
    SimulatedFlow(steps: [group(1, [.success, .success, .success])]),
    SimulatedFlow(steps: [group(1, [.success, .failure, .success])]),
    SimulatedFlow(steps: [group(1, [.failure, .cancellation, .failure], tolerance: 1)]),
    SimulatedFlow(steps: [group(1, [.success, .failure], isStreamed: true, tolerance: 1)]),
    SimulatedFlow(steps: [group(1, [.success, .failure], isStreamed: true, width: 3)]),
    SimulatedFlow(steps: [group(1, [], isStreamed: true), group(2, [])]),
    SimulatedFlow(steps: [group(1, [.success], isStreamed: true, tolerance: .max, trouble: .pull)]),
    SimulatedFlow(steps: [sharedGroup([.failure, .success, .failure], share: 34)]),
    SimulatedFlow(steps: [sharedGroup([.failure, .cancellation, .success], share: 50, isStreamed: true)]),
    SimulatedFlow(steps: [flow(1, flow(2, flow(3, noMatch))), work(4, .cancellation)]),
    SimulatedFlow(steps: [when(.unmet, work(1, .failure)), when(.met, work(2, .success)), work(3, .success)]),
    SimulatedFlow(steps: [when(.unmet, flow(1, work(2, .failure))), when(.failing, work(3, .success))]),
    SimulatedFlow(steps: [when(.met, group(1, [.success, .success])), when(.unmet, group(2, [.failure]))]),
    SimulatedFlow(steps: [when(.unmet, noMatch), when(.cancelling, flow(1))]),
  ]

  private static let parallels: [SimulatedFlow] = [
    SimulatedFlow(steps: [parallel(1), work(2, .success)]),
    SimulatedFlow(steps: [parallel(1, [], [])]),
    SimulatedFlow(steps: [parallel(1, [work(2, .success)], [work(3, .success)])]),
    SimulatedFlow(steps: [parallel(1, [work(2, .success)], [work(3, .failure)]), work(4, .success)]),
    SimulatedFlow(steps: [parallel(1, [flow(2, work(3, .success))], [])]),
    SimulatedFlow(steps: [flow(1, parallel(2, [noMatch, work(3, .failure)], [work(4, .success)]))]),
    SimulatedFlow(steps: [parallel(1, [parallel(2, [work(3, .success)], [])], [work(4, .success)])]),
    SimulatedFlow(steps: [parallel(1, [when(.unmet, work(2, .failure))], [when(.met, work(3, .success))])]),
    SimulatedFlow(steps: [when(.unmet, parallel(1, [work(2, .failure)], [])), when(.met, parallel(3, []))]),
    SimulatedFlow(steps: [parallel(1, [group(2, [.success, .success])], [work(3, .cancellation)])]),
  ]

  private static let attempts: [SimulatedFlow] = [
    SimulatedFlow(steps: [work(1, .failure, .success, plan: Plan(count: 2, delay: 0)), work(2, .success)]),
    SimulatedFlow(steps: [work(1, .failure, .failure, plan: Plan(count: 2, delay: 1, timeout: 1))]),
    SimulatedFlow(steps: [work(1, .cancellation, .failure, plan: Plan(count: 2, delay: 1, timeout: 1))]),
    SimulatedFlow(steps: [work(1, .success, .success, .failure, plan: Plan(count: 3, delay: 1, timeout: 2))]),
    SimulatedFlow(steps: [
      retriedGroup(1, [[.failure, .success], [.success]], Plan(count: 2, delay: 1), width: 1)
    ]),
    SimulatedFlow(steps: [
      retriedGroup(1, [[.failure, .failure], [.failure, .success]], Plan(count: 2, delay: 0), tolerance: 1)
    ]),
    SimulatedFlow(steps: [
      retriedGroup(1, [[.success], [.success]], Plan(count: 1, delay: 0, timeout: 1), tolerance: 1)
    ]),
    SimulatedFlow(steps: [
      parallel(1, [work(2, .failure, .success, plan: Plan(count: 2, delay: 1, timeout: 1))], [work(3, .success)])
    ]),
    SimulatedFlow(
      steps: [work(1, .failure, .failure, plan: Plan(count: 2, delay: 2, total: 3, patience: 1, recovery: .success))],
      deadline: 4),
    SimulatedFlow(
      steps: [retriedGroup(1, [[.failure], [.failure, .success]], Plan(count: 3, delay: 0, recovery: .failure))],
      budget: 1),
    SimulatedFlow(
      steps: [
        retriedGroup(
          1, [[.success], [.failure, .success]], Plan(count: 2, delay: 0), isStreamed: true, width: 1, tolerance: 1)
      ], budget: 0, budgetEighths: 3),
  ]

  private static func limited(_ step: Step) -> Step {
    var step = step
    step.isLimited = true
    return step
  }

  private static func handingGroup(
    _ items: [SimulatedFlow.End], _ handings: SimulatedFlow.End..., isStreamed: Bool = false, width: Int = 2,
    tolerance: Int = 0, plan: Plan? = nil
  ) -> Step {
    let group = SimulatedFlow.Group(
      items: items.map { [$0] }, isStreamed: isStreamed, width: width, tolerance: tolerance, handings: handings)
    return Step(number: 1, plan: plan, kind: .group(group))
  }

  private static let places: [SimulatedFlow] = [
    SimulatedFlow(steps: [limited(work(1, .failure, .success, plan: Plan(count: 2, delay: 0, timeout: 1, total: 2)))]),
    SimulatedFlow(steps: [parallel(1, [limited(work(2, .success, plan: Plan(count: 1, delay: 0, timeout: 1)))], [])]),
    SimulatedFlow(steps: [limited(group(1, [.success, .failure], tolerance: 1))]),
    SimulatedFlow(steps: [handingGroup([.success, .success], .success)]),
    SimulatedFlow(steps: [handingGroup([.success, .success], .success, .failure, width: 1)]),
    SimulatedFlow(steps: [handingGroup([.failure, .success], .success, isStreamed: true, width: 1, tolerance: 1)]),
    SimulatedFlow(steps: [handingGroup([.failure], .cancellation, plan: Plan(count: 2, delay: 0))]),
  ]

  private static let flows = serial + parallels + attempts + places

  @Test(arguments: flows.indices) func `a small flow in every order does what the model says`(index: Int) {
    let flow = Self.flows[index]
    var search = Search(flow)
    // These flows have one intervention less, because branches and timers have many orders.
    let most = TestSettings.effort > 1 ? 2 : 1
    search.go(on: Simulation(flow), interventions: index < Self.serial.count ? most : most - 1)
    #expect(search.complaint == nil, "\(flow.description)")
    #expect(search.orderCount >= most)
  }

  @Test func `a fault that only one order shows is found`() {
    // One of three items may fail, and all do. The order of their ends decides which failure ends the run.
    #expect(Self.complaint(about: Self.serial[4], .toleratesMore) != nil)
    // An attempt that has timed out fails, whatever its result is.
    #expect(Self.complaint(about: Self.attempts[3], .forgetsTheTimeout) != nil)
  }

  private static func complaint(about flow: SimulatedFlow, _ fault: SimulatedMachine.Fault) -> String? {
    var search = Search(flow)
    search.go(on: Simulation(flow, fault: fault), interventions: 0)
    return search.complaint
  }

  /// A depth-first search through all orders; a simulation is a value, so each continuation has its own copy.
  private struct Search {
    let flow: SimulatedFlow
    private(set) var complaint: String?
    private(set) var orderCount = 0

    init(_ flow: SimulatedFlow) { self.flow = flow }

    /// Searches all continuations, with at most this many cancels, pauses and parked claims.
    mutating func go(on simulation: Simulation, interventions: Int) {
      guard complaint == nil else { return }
      if simulation.isOver {
        orderCount += 1
        return
      }
      var inputs: [SimulatedInput] = simulation.hasBegun ? [] : [.begin]
      if simulation.claimableCount > 0 { inputs.append(.claim) }
      for input in simulation.running.map({ simulation.next(for: $0) }) where !inputs.contains(input) {
        inputs.append(input)
      }
      inputs += simulation.dueTimers.map { .fire($0.index) }
      if simulation.timers.contains(where: { $0.due > simulation.time }) { inputs.append(.advance) }
      if simulation.isPaused { inputs.append(.resume) }
      for input in inputs { attempt(input, on: simulation, interventions) }
      guard interventions > 0 else { return }
      let parks = simulation.running.map { SimulatedInput.park($0.index) }
      for input in [.cancel] + (simulation.isPaused ? [] : [.pause]) + parks {
        attempt(input, on: simulation, interventions - 1)
      }
    }

    private mutating func attempt(_ input: SimulatedInput, on simulation: Simulation, _ interventions: Int) {
      var simulation = simulation
      if let found = simulation.apply(input) {
        complaint = complaint ?? "\(found), after \(simulation.inputCount) inputs"
      } else {
        go(on: simulation, interventions: interventions)
      }
    }
  }
}
