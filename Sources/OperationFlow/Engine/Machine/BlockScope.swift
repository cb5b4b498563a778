/// A block at work: its steps run one after the other.
struct BlockScope: Sendable {
  enum Role: Sendable, Hashable {
    /// The steps of the run, or steps that always run.
    case plain
    /// The branch that a cases step has taken.
    case cases(Blueprint.StepID)
    /// The steps of a flow that is a step.
    case flow(Blueprint.StepID)
    /// One of the branches of a parallel step.
    case branch
  }

  let block: Blueprint.BlockID
  let role: Role
  private var next = 0
  /// The weight of the steps that are done, not counting the current one.
  private var doneWeight = 0
  /// The work of the block itself that is offered or claimed; `nil` while a scope within it is at work.
  private(set) var work: RunWork?
  private(set) var isClaimed = false

  init(_ block: Blueprint.BlockID, _ role: Role) { (self.block, self.role) = (block, role) }

  var offered: RunWork? { isClaimed ? nil : work }

  /// Moves to the next step; `nil` after the last one.
  mutating func advance(in blueprint: Blueprint) -> Blueprint.StepID? {
    let steps = blueprint.blocks[block].steps
    guard next < steps.count else { return nil }
    let step = steps[next]
    if next > 0 { doneWeight += blueprint.steps[steps[next - 1]].weight }
    next += 1
    return step
  }

  mutating func offer(_ work: RunWork) {
    self.work = work
    isClaimed = false
  }

  mutating func claim() -> RunWork? {
    defer { isClaimed = true }
    return offered
  }

  /// A scope within the block is at work on the current step.
  mutating func wait() {
    work = nil
    isClaimed = false
  }

  /// The step whose steps these are, unless its end has been claimed.
  var openHolder: Blueprint.StepID? {
    switch role {
    case .plain, .branch: return nil
    case .cases(let step): return step
    case .flow(let step):
      return isClaimed && work == RunWork(.leave, of: step) ? nil : step
    }
  }

  /// The step within the block of which only the end is left, which has not been claimed.
  var openStep: Blueprint.StepID? {
    guard let offered, let step = offered.step else { return nil }
    return offered.kind == .collect || offered.kind == .leave && role != .flow(step) ? step : nil
  }

  /// How much of the block is done, from 0 to 1; the current step counts only if all of its work has settled.
  func doneFraction(in blueprint: Blueprint) -> Double {
    let done = fraction(doneWeight, in: blueprint)
    guard let work, work.kind == .leave || work.kind == .collect else { return done }
    return work.step.map { role == .flow($0) } == true ? 1 : done + currentFraction(in: blueprint)
  }

  /// How much of the block the current step is.
  func currentFraction(in blueprint: Blueprint) -> Double {
    guard next > 0 else { return 0 }
    return fraction(blueprint.steps[blueprint.blocks[block].steps[next - 1]].weight, in: blueprint)
  }

  private func fraction(_ weight: Int, in blueprint: Blueprint) -> Double {
    let whole = blueprint.blocks[block].weight
    return whole > 0 ? Double(weight) / Double(whole) : 0
  }
}
