import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

extension RandomFlow {
  /// Creates the flow that belongs to a seed.
  init(seed: UInt64) {
    var generator = FlowGenerator(random: SeededGenerator(seed: seed))
    self = generator.make()
  }
}

/// A generator of mostly harmless flows, so that some get far, with every kind of trouble here and there.
private struct FlowGenerator {
  var random: SeededGenerator
  private var operationCount = 0
  private var parallelCount = 0
  private var parallelDepth = 0
  private var flow = RandomFlow()

  /// The names that steps read and write; a parallel branch has names of its own.
  private var keys = ["a", "b", "c"]
  private static let words = ["x", "y"]

  init(random: SeededGenerator) { self.random = random }

  mutating func make() -> RandomFlow {
    for key in keys where !random.oneIn(3) { flow.values[key] = value() }
    let stepCount = random.below(5)
    // The first step may write anything. Without it, a flow that is certain to fail would be refused before it runs.
    if stepCount > 0 { flow.steps.append(.operation(operation(isItem: false), isObject: random.oneIn(2))) }
    for _ in 0..<stepCount { flow.steps.append(step(depth: 0)) }
    flow.hasIdleCombine = random.oneIn(8)
    if random.oneIn(4) {
      flow.always = (0...random.below(3)).map { _ in (0..<random.below(4)).map { _ in random.oneIn(8) } }
    }
    if random.oneIn(2) { addDependencies() }
    return flow
  }

  private mutating func addDependencies() {
    let objects = flow.objects
    let awaited = objects.filter(\.mayBeAwaited).map(\.name)
    for _ in 0..<random.below(6) where !objects.isEmpty {
      let other = awaited.isEmpty || random.oneIn(3) ? nil : pick(awaited)
      flow.dependencies.append(RandomFlow.Dependency(operation: pick(objects).name, other: other))
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  private mutating func value() -> RandomValue {
    random.oneIn(3) ? .number(random.below(9)) : .text(pick(Self.words))
  }

  // MARK: Steps

  private mutating func step(depth: Int) -> RandomFlow.Step {
    if random.oneIn(4) { return random.oneIn(2) ? cases() : maybeConditional(numberCases(depth)) }
    return maybeConditional(depth < 2 && random.oneIn(8) ? parallel(depth) : plainStep())
  }

  /// Adds a condition to some of the steps.
  private mutating func maybeConditional(_ step: RandomFlow.Step) -> RandomFlow.Step {
    guard random.oneIn(6) else { return step }
    let key = pick(keys + ["missing"])
    switch random.below(8) {
    case 0...2: return .conditional(.holds(key, value()), step)
    case 3, 4: return .conditional(.isNumber(key, above: random.below(9)), step)
    case 5 where random.oneIn(3): return .conditional(.fails("c\(random.below(1_000))"), step)
    default: return .conditional(.contains(key), step)
    }
  }

  private mutating func numberCases(_ depth: Int) -> RandomFlow.Step {
    let branches = (0...random.below(3)).map { _ in
      let numbers = (0...random.below(2)).map { _ in random.below(9) }
      return (numbers: numbers, steps: branchSteps())
    }
    return .numberCases(pick(keys + ["missing"]), branches, otherwise: random.oneIn(3) ? nil : branchSteps())
  }

  private mutating func parallel(_ depth: Int) -> RandomFlow.Step {
    parallelCount += 1
    let name = "parallel\(parallelCount)"
    let outer = keys
    parallelDepth += 1
    defer {
      keys = outer
      parallelDepth -= 1
    }
    let branches = (0...random.below(3)).map { index in
      keys = ["a", "b", "c"].map { "\($0).\(name).\(index)" }
      for key in keys where !random.oneIn(3) { flow.values[key] = value() }
      return RandomFlow.ParallelBranch(
        name: "branch\(index)", steps: (0..<random.below(4)).map { _ in step(depth: depth + 1) })
    }
    return .parallel(name, branches)
  }

  private mutating func plainStep() -> RandomFlow.Step {
    random.oneIn(3) ? group() : .operation(operation(isItem: false), isObject: random.oneIn(2))
  }

  private mutating func cases() -> RandomFlow.Step {
    var branches: [RandomFlow.Branch] = []
    for _ in 0...random.below(3) {
      let condition = (key: pick(keys + ["missing"]), value: pick(Self.words))
      branches.append(RandomFlow.Branch(condition: condition, steps: branchSteps()))
    }
    if !random.oneIn(3) {
      let otherwise = RandomFlow.Branch(condition: nil, steps: branchSteps())
      branches.insert(otherwise, at: random.below(branches.count + 1))
    }
    return .cases(branches)
  }

  private mutating func branchSteps() -> [RandomFlow.Step] {
    (0...random.below(2)).map { _ in maybeConditional(plainStep()) }
  }

  private mutating func group() -> RandomFlow.Step {
    let number = flow.works.count
    var group = RandomFlow.Group(
      inputKey: "works\(number)", outputKey: random.oneIn(4) ? keys[0] : "out\(number)", width: 1 + random.below(4),
      toleratesFailure: !random.oneIn(3))
    flow.works[group.inputKey] = (0..<random.below(6)).map { _ in operation(isItem: true) }
    group.limits = limits()
    group.care = care()
    if keys[1] == "b", random.oneIn(30) { group.inputKey = pick(["missing", "b"]) }
    return .group(group)
  }

  // MARK: Operations

  private mutating func operation(isItem: Bool) -> RandomOperation {
    operationCount += 1
    let style: RandomOperation.Style =
      random.oneIn(40) ? .never : pick([.synchronous, .synchronous, .finishedFirst, .asynchronous, .undeclared])
    var operation = RandomOperation(
      name: "op\(operationCount)", style: style, actions: [], laterActions: [], end: end(oneIn: 8),
      isStubborn: random.oneIn(2))
    for _ in 0..<random.below(4) { operation.actions.append(action(isItem: isItem, mayFinish: true)) }
    if random.oneIn(6) { operation.failingAttempts = 1 + random.below(3) }
    if !isItem { (operation.limits, operation.care) = (limits(), care()) }
    // Nothing else may run at the same time, because the time would pass for it, too.
    if !isItem, parallelDepth == 0, random.oneIn(8) {
      (operation.hangingAttempts, operation.care.timeLimit) = (1 + random.below(3), .seconds(1))
      flow.hasHangingAttempts = true
    }
    if operation.isAsynchronous {
      for _ in 0..<random.below(3) { operation.laterActions.append(action(isItem: isItem, mayFinish: false)) }
    }
    return operation
  }

  private mutating func limits() -> [Int] {
    guard random.oneIn(3) else { return [] }
    return (0...random.below(3)).map { _ in random.below(RandomFlow.limiterCount) }
  }

  private mutating func care() -> RandomCare {
    var care = RandomCare()
    guard random.oneIn(2) else { return care }
    if random.oneIn(2) { care.attempts = 1 + random.below(4) }
    care.hasTimeout = random.oneIn(4)
    if random.oneIn(4) { care.recovery = end(oneIn: 4) }
    if random.oneIn(2) { care.undo = end(oneIn: 4) }
    return care
  }

  private mutating func end(oneIn rarity: Int) -> RandomOperation.End {
    guard random.oneIn(rarity) else { return .success }
    return random.oneIn(4) ? .cancellation : .failure("e\(random.below(1_000))")
  }

  private mutating func action(isItem: Bool, mayFinish: Bool) -> RandomOperation.Action {
    switch random.below(40) {
    case 0: return .cancelFlow
    case 1 where mayFinish: return .finish(end(oneIn: 2))
    case 2...4: return .read(pick(keys), isText: random.oneIn(2), isOptional: false)
    case 5...8: return .read(pick(keys), isText: random.oneIn(2), isOptional: true)
    case 9...20: return .log("line \(random.below(100))")
    default:
      let key = pick(isItem ? keys + ["output", "output", "output"] : keys)
      return .write(key, random.oneIn(6) ? nil : value())
    }
  }
}
