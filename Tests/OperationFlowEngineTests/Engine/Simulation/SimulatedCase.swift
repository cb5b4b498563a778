@testable import OperationFlow

/// A flow, the inputs of its state machine, and the complaint about it: all that is needed to repeat a failure.
struct SimulatedCase: Sendable {
  private(set) var flow: SimulatedFlow
  private(set) var inputs: [SimulatedInput]
  private(set) var complaint: String
  let seed: UInt64
  let fault: SimulatedMachine.Fault?

  /// The number of orders in which each flow is driven.
  static let orderCount: UInt64 = 16

  /// Drives the flow of a seed in several orders; returns the number of inputs and the first case that fails.
  static func run(seed: UInt64, fault: SimulatedMachine.Fault? = nil) -> (inputCount: Int, failure: SimulatedCase?) {
    let flow = SimulatedFlow(seed: seed)
    let start = Simulation(flow, fault: fault)
    var count = 0
    for order in 0..<orderCount {
      var simulation = start
      var scheduler = SimulatedScheduler(seed: seed &* orderCount &+ order)
      let complaint = scheduler.drive(&simulation)
      count += simulation.inputCount
      guard let complaint else { continue }
      let inputs = scheduler.inputs
      return (count, SimulatedCase(flow: flow, inputs: inputs, complaint: complaint, seed: seed, fault: fault))
    }
    return (count, nil)
  }

  /// A text with the seed, the flow, and the inputs up to the failure.
  var description: String {
    """
    OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: \(complaint)
    \(flow.description)
    \(inputs.map { "\($0)" }.joined(separator: ", "))
    """
  }

  // MARK: Replaying

  /// Applies inputs to a flow, and then others up to the flow's end; returns the first complaint.
  static func replay(
    _ flow: SimulatedFlow, _ inputs: [SimulatedInput], fault: SimulatedMachine.Fault?
  ) -> (complaint: String, inputs: [SimulatedInput])? {
    var simulation = Simulation(flow, fault: fault)
    var given: [SimulatedInput] = []
    for input in inputs {
      given.append(input)
      if let complaint = simulation.apply(input) { return (complaint, given) }
    }
    while !simulation.isOver {
      let next: SimulatedInput
      if !simulation.hasBegun {
        next = .begin
      } else if simulation.claimableCount > 0 {
        next = .claim
      } else if let running = simulation.running.first {
        next = simulation.next(for: running)
      } else if let due = simulation.dueTimers.first {
        next = .fire(due.index)
      } else if !simulation.timers.isEmpty {
        next = .advance
      } else if simulation.isPaused {
        next = .resume
      } else {
        return ("never ends", given)
      }
      given.append(next)
      if let complaint = simulation.apply(next) { return (complaint, given) }
      if given.count > SimulatedScheduler.limit { return ("never ends", given) }
    }
    return nil
  }

  /// A case that still fails, with as few steps and inputs as possible.
  var shrunk: SimulatedCase {
    var smallest = self
    while let smaller = smallest.smaller { smallest = smaller }
    return smallest
  }

  /// A smaller case that fails as well; `nil` if none is found.
  private var smaller: SimulatedCase? {
    for flow in flow.smaller {
      if let found = tried(flow, inputs) { return found }
    }
    var size = inputs.count
    while size > 0 {
      for start in stride(from: 0, to: inputs.count, by: size) {
        var fewer = inputs
        fewer.removeSubrange(start..<min(inputs.count, start + size))
        if let found = tried(flow, fewer), found.inputs.count < inputs.count { return found }
      }
      size /= 2
    }
    return nil
  }

  private func tried(_ flow: SimulatedFlow, _ inputs: [SimulatedInput]) -> SimulatedCase? {
    guard let failure = Self.replay(flow, inputs, fault: fault) else { return nil }
    var found = self
    found.flow = flow
    found.inputs = failure.inputs
    found.complaint = failure.complaint
    return found
  }
}
