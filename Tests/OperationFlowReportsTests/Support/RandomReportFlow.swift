import OperationFlow
import TestSupport

/// A flow of random steps of every kind, of which some fail, some are retried, and some are undone.
struct RandomReportFlow {
  private var random: SeededGenerator
  private var count = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func make() -> Flow {
    let flow = Flow("random").setData(name: "number", value: random.below(3))
      .setData(name: "items", value: Array(0..<random.below(6)))
    fill(flow, depth: 0)
    return flow
  }

  private mutating func name(_ kind: String) -> String {
    count += 1
    return "\(kind) \(count)"
  }

  private mutating func fill(_ flow: Flow, depth: Int) {
    for _ in 0..<(1 + random.below(4)) { addStep(to: flow, depth: depth) }
    if random.oneIn(4) {
      let name = name("always")
      flow.always(name) { $0.add(name + " step") { _ in } }
    }
  }

  private mutating func addStep(to flow: Flow, depth: Int) {
    switch random.below(depth < 3 ? 8 : 4) {
    case 0: addClosure(to: flow)
    case 1: flow.add(SampleOp(), .named(name("operation")))
    case 2: flow.add(name("condition"), .when(FlowKey<Int>("number"), is: random.below(3))) { $0.log("met") }
    case 3: addGroup(to: flow)
    case 4:
      var branches: [Flow] = []
      for _ in 0..<(1 + random.below(3)) { branches.append(inner(depth)) }
      let hasOtherwise = !random.oneIn(4)
      flow.cases(on: FlowKey<Int>("number")) { cases in
        for (number, branch) in branches.enumerated() { cases.when(number) { $0.add(flow: branch) } }
        if hasOtherwise { cases.otherwise { $0.add("otherwise") { _ in } } }
      }
    case 5: flow.add(flow: inner(depth))
    case 6:
      let branches = [inner(depth), inner(depth)]
      flow.parallel(name("parallel")) { parallel in
        for (number, branch) in branches.enumerated() { parallel.branch("branch \(number)") { $0.add(flow: branch) } }
      }
    default: addClosure(to: flow)
    }
  }

  private mutating func inner(_ depth: Int) -> Flow {
    let flow = Flow(name("flow"))
    fill(flow, depth: depth + 1)
    return flow
  }

  private mutating func addClosure(to flow: Flow) {
    let (name, failures) = (name("closure"), random.oneIn(6) ? 1 + random.below(3) : 0)
    flow.add(name, .retry(.attempts(2)), .undo { _ in }) { context in
      context.log("\(name) \(context.attempt)")
      context[FlowKey<Int>("last")] = context.attempt
      if context.attempt <= failures { throw TestError(name: name) }
    }
  }

  private mutating func addGroup(to flow: Flow) {
    let (failing, tolerance) = (random.below(12), random.oneIn(2) ? FlowTolerance.all : .failures(1))
    flow.forEach(FlowKey<[Int]>("items"), width: 1 + random.below(3), tolerating: tolerance, .named(name("group"))) {
      item, context in
      if item == failing { throw TestError(name: "\(item)") }
    }
  }
}
