import Testing

@testable import OperationFlow

/// Small flows, driven in every order that there is: each way on from each place, with so many cancels and pauses.
@Suite struct AllOrdersTests {
  private static func step(_ number: Int, _ kind: SimulatedFlow.Kind) -> SimulatedFlow.Step {
    SimulatedFlow.Step(number: number, kind: kind)
  }

  private static func group(
    _ items: [SimulatedFlow.End], isStreamed: Bool, width: Int = 2, tolerance: Int = 0,
    trouble: SimulatedFlow.Group.Trouble? = nil
  ) -> SimulatedFlow.Kind {
    .group(
      SimulatedFlow.Group(
        items: items, isStreamed: isStreamed, width: width, tolerance: tolerance, trouble: trouble))
  }

  private static let noMatch = SimulatedFlow.Kind.cases(
    SimulatedFlow.Cases(
      branches: [SimulatedFlow.Cases.Branch(isOtherwise: false, steps: [step(9, .work(.failure))])], match: nil,
      isFlat: true, isCombined: false))

  private static let flows: [SimulatedFlow] = [
    SimulatedFlow(steps: []),
    SimulatedFlow(steps: [step(1, .flow([step(2, .work(.success))])), step(3, .work(.failure))]),
    SimulatedFlow(steps: [step(1, group([.success, .success, .success], isStreamed: false))]),
    SimulatedFlow(steps: [step(1, group([.success, .failure, .success], isStreamed: false))]),
    SimulatedFlow(steps: [step(1, group([.failure, .cancellation, .failure], isStreamed: false, tolerance: 1))]),
    SimulatedFlow(steps: [step(1, group([.success, .failure], isStreamed: true, tolerance: 1))]),
    SimulatedFlow(steps: [step(1, group([.success, .failure], isStreamed: true, width: 3))]),
    SimulatedFlow(steps: [step(1, group([], isStreamed: true)), step(2, group([], isStreamed: false))]),
    SimulatedFlow(steps: [step(1, group([.success], isStreamed: true, tolerance: .max, trouble: .pull))]),
    SimulatedFlow(steps: [step(1, .flow([step(2, .flow([step(3, noMatch)]))])), step(4, .work(.cancellation))]),
  ]

  @Test(arguments: flows.indices) func `a small flow in every order does what the model says`(index: Int) {
    let flow = Self.flows[index]
    var search = Search(flow)
    search.go(on: Simulation(SimulatedBlueprint(flow), ReferencePath(flow)), cancels: 1, pauses: 1)
    #expect(search.complaint == nil, "\(flow.description)")
    #expect(search.orderCount > 1)
  }

  @Test func `a fault that only one order shows is found`() {
    // One of three may fail, and all do: whether the run fails with the last of them depends on the order.
    let flow = Self.flows[4]
    var search = Search(flow)
    let start = Simulation(SimulatedBlueprint(flow), ReferencePath(flow), fault: .toleratesMore)
    search.go(on: start, cancels: 0, pauses: 0)
    #expect(search.complaint != nil)
  }

  /// Walks through all orders, depth first: a simulation is a value, so each way on has a copy of its own.
  private struct Search {
    let flow: SimulatedFlow
    private(set) var complaint: String?
    private(set) var orderCount = 0

    init(_ flow: SimulatedFlow) { self.flow = flow }

    mutating func go(on simulation: Simulation, cancels: Int, pauses: Int) {
      guard complaint == nil else { return }
      if simulation.isOver {
        orderCount += 1
        return
      }
      if !simulation.hasBegun { attempt(.begin, on: simulation, cancels, pauses) }
      if simulation.reference.claimableCount > 0 { attempt(.claim, on: simulation, cancels, pauses) }
      for claim in simulation.running { attempt(.settle(claim.index), on: simulation, cancels, pauses) }
      if cancels > 0 { attempt(.cancel, on: simulation, cancels - 1, pauses) }
      if simulation.isPaused {
        attempt(.resume, on: simulation, cancels, pauses)
      } else if pauses > 0 {
        attempt(.pause, on: simulation, cancels, pauses - 1)
      }
    }

    private mutating func attempt(_ input: SimulatedInput, on simulation: Simulation, _ cancels: Int, _ pauses: Int) {
      var simulation = simulation
      if let found = simulation.apply(input) ?? simulation.checkClaimable() {
        complaint = complaint ?? "\(found), after \(simulation.inputCount) inputs"
      } else {
        go(on: simulation, cancels: cancels, pauses: pauses)
      }
    }
  }
}
