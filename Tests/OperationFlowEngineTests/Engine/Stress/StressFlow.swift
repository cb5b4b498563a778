import Foundation

@testable import OperationFlow

/// A generator of flows in which everything can happen; with `mayWait`, some wait until they are cancelled.
struct StressFlow {
  var random: SeededGenerator
  let crew: Crew
  let probe: StressProbe
  /// A token that all of the flow's code retains.
  let token: Token
  let mayWait: Bool
  /// The operations that exist before the run.
  private(set) var operations: [FlowOperation] = []

  init(random: SeededGenerator, crew: Crew, probe: StressProbe, token: Token, mayWait: Bool) {
    self.random = random
    self.crew = crew
    self.probe = probe
    self.token = token
    self.mayWait = mayWait
  }

  mutating func build() -> Flow {
    let flow = Flow().set("token", to: token).set("case 0" as FlowKey<String>, to: "a")
    add(1 + random.below(4), to: flow, depth: 0)
    return flow
  }

  private mutating func add(_ count: Int, to flow: Flow, depth: Int) {
    for _ in 0..<count {
      switch random.below(depth < 2 ? 9 : 6) {
      case 0: flow.step("factory", body())
      case 1:
        let operation = BlockOp("object", body())
        operations.append(operation)
        if random.oneIn(3) { addDependency(to: operation) }
        flow.add(operation: operation)
      case 2: addClosure(to: flow)
      case 3, 4: addGroup(to: flow)
      case 5: addStream(to: flow)
      case 6, 7:
        let inner = Flow("inner").set("inner token", to: token)
        add(random.below(3), to: inner, depth: depth + 1)
        flow.add(flow: inner)
      default:
        let key = FlowKey<String>("case \(random.below(2))")
        flow.cases(on: key) { cases in
          cases.when("a") { add(1, to: $0, depth: depth + 1) }
          if random.oneIn(2) { cases.otherwise { add(1, to: $0, depth: depth + 1) } }
        }
      }
    }
  }

  /// Adds a dependency on an operation outside the flow, which one of the crew starts.
  private func addDependency(to operation: FlowOperation) {
    let other = BlockOperation {}
    operation.addDependency(other)
    // On Linux, the operation that waits must not be freed before this one has finished.
    crew.give { withExtendedLifetime(operation) { other.start() } }
  }

  private mutating func addClosure(to flow: Flow) {
    let (probe, token, waits, fails) = (probe, token, mayWait && random.oneIn(12), random.oneIn(12))
    guard random.oneIn(2) else {
      flow.add("closure") { _ in
        probe.enter()
        defer { probe.leave() }
        token.touch()
        if fails { throw TestError() }
      }
      return
    }
    flow.add("task") { _ in
      probe.enter()
      defer { probe.leave() }
      token.touch()
      if waits { await untilCancelled() } else { await Task.yield() }
      if fails { throw TestError() }
    }
  }

  private mutating func addGroup(to flow: Flow) {
    let works = (0..<random.below(6)).map { _ in Work(body: body()) }
    flow.forEach(
      in: works, into: "out" as FlowKey<[Int]>, width: 1 + random.below(4), tolerating: tolerance(), run: WorkOp.self)
  }

  private mutating func addStream(to flow: Flow) {
    let (probe, token, crew, count, ends) = (probe, token, crew, random.below(5), !mayWait || !random.oneIn(8))
    let makeItems = { @Sendable () -> AsyncStream<Int> in
      let (stream, items) = AsyncStream.makeStream(of: Int.self)
      for index in 0..<count { crew.give { items.yield(index) } }
      crew.give {
        if ends { items.finish() } else { token.touch() }
      }
      // A stream that isn't finished ends only when the task of its group is cancelled.
      return stream
    }
    flow.forEach(in: makeItems(), width: 1 + random.below(3), tolerating: tolerance()) { _, _ in
      probe.enter()
      defer { probe.leave() }
      await Task.yield()
    }
  }

  private mutating func tolerance() -> FlowTolerance { [.none, .all, .failures(1)][random.below(3)] }

  /// Returns the code of an operation.
  private mutating func body<Op: FlowOperation>() -> @Sendable (Op) -> Void {
    let (probe, token, crew) = (probe, token, crew)
    let (way, fails) = (random.below(mayWait ? 20 : 19), random.oneIn(10))
    return { operation in
      probe.enter()
      defer { probe.leave() }
      token.touch()
      let finish = { @Sendable in
        if fails { operation.finishWithError(error: TestError()) } else { operation.finishSuccessfully() }
      }
      switch way {
      case 0...3: finish()
      case 4, 5:
        finish()
        operation.startWithAsynchronous()
      case 6...10:
        operation.startWithAsynchronous()
        crew.give(finish)
      case 11, 12: crew.give(finish)
      case 13...15:
        operation.startWithAsynchronous()
        for _ in 0..<3 { crew.give(finish) }
      case 16...18:
        crew.give(finish)
        crew.give { operation.finishWithError(error: TestError(name: "other")) }
        operation.startWithAsynchronous()
      default: operation.startWithAsynchronous()
      }
    }
  }
}
