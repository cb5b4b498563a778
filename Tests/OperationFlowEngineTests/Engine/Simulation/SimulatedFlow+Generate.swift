extension SimulatedFlow {
  /// Creates the flow that belongs to a seed.
  init(seed: UInt64) {
    var generator = SimulatedFlowGenerator(random: SeededGenerator(seed: seed))
    self = generator.make()
  }
}

/// A generator of flows whose work mostly succeeds, so that some flows get far.
private struct SimulatedFlowGenerator {
  var random: SeededGenerator
  private var number = 0
  /// One in this many attempts fails; 0 for none.
  private var rarity = 0
  /// One in this many steps and groups has a plan for its attempts; 0 for none.
  private var planRarity = 0
  /// One in this many steps has a condition; 0 for none.
  private var conditionRarity = 0
  /// One in this many steps and groups can be undone; 0 for none.
  private var undoRarity = 0
  /// One in this many steps and groups has to wait for permits; 0 for none.
  private var limitRarity = 0
  /// One in this many groups delivers its results; 0 for none.
  private var handingRarity = 0
  /// One in this many flows has flows that run at the end; 0 for none.
  private var alwaysRarity = 0

  init(random: SeededGenerator) { self.random = random }

  mutating func make() -> SimulatedFlow {
    rarity = random.oneIn(3) ? 0 : 3 + random.below(30)
    planRarity = random.oneIn(3) ? 0 : 1 + random.below(4)
    conditionRarity = random.oneIn(2) ? 0 : 1 + random.below(6)
    undoRarity = random.oneIn(2) ? 0 : 1 + random.below(4)
    alwaysRarity = random.oneIn(2) ? 0 : 1 + random.below(4)
    limitRarity = random.oneIn(2) ? 0 : 1 + random.below(4)
    handingRarity = random.oneIn(2) ? 0 : 1 + random.below(3)
    let flow = steps(random.below(7), depth: 0)
    let always = always(depth: 0)
    return SimulatedFlow(
      steps: flow, always: always, budget: random.oneIn(4) ? random.below(4) : nil,
      budgetEighths: random.oneIn(2) ? random.below(8) : 0, deadline: random.oneIn(8) ? random.below(20) : nil)
  }

  private mutating func always(depth: Int) -> [SimulatedFlow.Step] {
    guard alwaysRarity > 0, random.oneIn(alwaysRarity) else { return [] }
    return (0..<1 + random.below(2)).map { _ in
      number += 1
      let number = number
      let inner = steps(random.below(4), depth: depth + 2)
      let always = random.oneIn(4) ? always(depth: depth + 3) : []
      return SimulatedFlow.Step(number: number, always: always, kind: .flow(inner))
    }
  }

  private mutating func undo() -> SimulatedFlow.Undo? {
    guard undoRarity > 0, random.oneIn(undoRarity) else { return nil }
    var plan = SimulatedFlow.Plan(
      count: 1 + random.below(3), delay: 0, timeout: random.oneIn(3) ? 1 + random.below(4) : nil)
    if random.oneIn(2) { plan.askedDelay = random.below(4) }
    return SimulatedFlow.Undo(plan: plan, ends: ends(plan), isForUncertain: random.oneIn(2))
  }

  private mutating func steps(_ count: Int, depth: Int) -> [SimulatedFlow.Step] {
    (0..<count).map { _ in
      number += 1
      var step = SimulatedFlow.Step(number: number, kind: .work([]))
      if random.oneIn(6) { step.weight = random.below(4) }
      if conditionRarity > 0, random.oneIn(conditionRarity) { step.condition = condition() }
      switch random.below(depth < 4 ? 12 : 6) {
      case 0...3:
        step.plan = plan()
        step.undo = undo()
        step.isLimited = isLimited()
        step.kind = .work(ends(step.plan))
      case 4, 5:
        step.plan = plan()
        step.undo = undo()
        step.isLimited = isLimited()
        step.kind = .group(group(step.plan))
      case 6, 7:
        step.kind = .flow(steps(random.below(4), depth: depth + 1))
        step.always = always(depth: depth + 1)
      case 8, 9: step.kind = .cases(cases(depth))
      default: step.kind = .parallel((0..<random.below(4)).map { _ in steps(random.below(4), depth: depth + 1) })
      }
      return step
    }
  }

  private mutating func isLimited() -> Bool { limitRarity > 0 && random.oneIn(limitRarity) }

  private mutating func handings() -> [SimulatedFlow.End] {
    guard handingRarity > 0, random.oneIn(handingRarity) else { return [] }
    return (0..<1 + random.below(4)).map { _ in end() }
  }

  private mutating func condition() -> SimulatedFlow.Condition {
    switch end() {
    case .success: random.oneIn(2) ? .met : .unmet
    case .failure: .failing
    case .cancellation: .cancelling
    }
  }

  private mutating func plan() -> SimulatedFlow.Plan? {
    guard planRarity > 0, random.oneIn(planRarity) else { return nil }
    var plan = SimulatedFlow.Plan(
      count: 1 + random.below(4), delay: random.oneIn(2) ? 0 : 1 + random.below(4),
      timeout: random.oneIn(2) ? nil : 1 + random.below(6))
    if random.oneIn(4) { plan.total = 1 + random.below(12) }
    if random.oneIn(3) { plan.patience = random.below(4) }
    if random.oneIn(4) { plan.recovery = random.oneIn(3) ? .failure : random.oneIn(4) ? .cancellation : .success }
    if random.oneIn(5) { plan.lastAttempt = 1 + random.below(3) }
    if random.oneIn(5) { plan.askedDelay = random.below(5) }
    return plan
  }

  private mutating func ends(_ plan: SimulatedFlow.Plan?) -> [SimulatedFlow.End] {
    // A step with a plan fails more often, so that more attempts follow others.
    let isFragile = plan != nil && random.oneIn(3)
    return (0..<(plan?.count ?? 1)).map { _ in isFragile && random.oneIn(2) ? .failure : end() }
  }

  private mutating func end() -> SimulatedFlow.End {
    guard rarity > 0, random.oneIn(rarity) else { return .success }
    return random.oneIn(4) ? .cancellation : .failure
  }

  private mutating func group(_ plan: SimulatedFlow.Plan?) -> SimulatedFlow.Group {
    let count = random.oneIn(5) ? 0 : random.below(9)
    let tolerances = [0, 0, 1, 2, count, .max]
    let troubles: [SimulatedFlow.Group.Trouble] = [.plan, .pull, .collect]
    let shares = [0, 10, 25, 29, 34, 50, 75, 100]
    return SimulatedFlow.Group(
      items: (0..<count).map { _ in ends(plan) }, isStreamed: random.oneIn(2),
      width: random.oneIn(8) ? 50 : 1 + random.below(4), tolerance: tolerances[random.below(tolerances.count)],
      share: random.oneIn(3) ? shares[random.below(shares.count)] : nil,
      trouble: rarity > 0 && random.oneIn(rarity) ? troubles[random.below(troubles.count)] : nil,
      handings: handings())
  }

  private mutating func cases(_ depth: Int) -> SimulatedFlow.Cases {
    let isFlat = random.oneIn(2)
    let count = 1 + random.below(3)
    var branches = (0..<count).map { _ in
      SimulatedFlow.Cases.Branch(
        isOtherwise: false, steps: steps((isFlat ? 1 : 0) + random.below(3), depth: depth + 1))
    }
    // At least one branch has a key, because the key contains the number of the cases.
    if count > 1, random.oneIn(3) { branches[random.below(count)].isOtherwise = true }
    return SimulatedFlow.Cases(
      branches: branches, match: random.oneIn(6) ? nil : random.below(count), isFlat: isFlat,
      isCombined: random.oneIn(2))
  }
}
