import OperationFlow

/// Finds a value that a resumed run is certain to miss, before the run continues instead of in the middle.
///
/// The search follows the steps that haven't settled, as long as it is certain that they run: up to a step that chooses
/// what follows, or may write anything.
struct MissingAfterResume {
  /// The point that a run has reached.
  struct Reached {
    /// The steps that are over.
    var settledSteps: Set<Int> = []
    /// The branches that cases have chosen; `nil` if none matched.
    var chosenBranches: [Int: Int?] = [:]
    /// The steps whose condition was met.
    var checkedSteps: Set<Int> = []
    /// The steps whose last attempt has failed, so that only a recovery can follow.
    var failedSteps: Set<Int> = []

    init() {}
  }

  private let blueprint: Blueprint
  private let facts: BlueprintFacts
  private let reached: Reached
  /// The names whose values aren't available any longer, and whether they are sensitive.
  private var missing: [String: Bool]
  /// The blocks that are being followed, the outermost first.
  private var open: [(block: Blueprint.BlockID, next: Int)] = [(Blueprint.root, 0)]

  /// Returns the error of a step that needs a missing value; `nil` if no step is certain to need one.
  ///
  /// `writer` returns the step that wrote a name last.
  static func find(
    _ launch: Launch, _ reached: Reached, _ missing: [String: Bool],
    writer: (String) throws -> Int?
  ) rethrows -> FlowError? {
    var search = MissingAfterResume(launch, reached, missing)
    guard let found = search.search() else { return nil }
    let paths = launch.facts.paths
    return .missingAfterResume(
      found.name, isSensitive: found.isSensitive, writer: try writer(found.name).flatMap { paths.path(of: $0) },
      reader: paths.path(of: found.step))
  }

  private init(_ launch: Launch, _ reached: Reached, _ missing: [String: Bool]) {
    (blueprint, facts) = (launch.blueprint, launch.facts)
    (self.reached, self.missing) = (reached, missing)
  }

  private mutating func search() -> (step: Blueprint.StepID, name: String, isSensitive: Bool)? {
    while let (block, next) = open.last, !missing.isEmpty {
      let steps = blueprint.blocks[block].steps
      guard next < steps.count else {
        open.removeLast()
        continue
      }
      open[open.count - 1].next += 1
      let step = steps[next]
      if reached.settledSteps.contains(step) { continue }
      let isConditional = blueprint.steps[step].options?.conditions.isEmpty == false
      let hasCondition = isConditional && !reached.checkedSteps.contains(step)
      if let name = blueprint.firstDecidingKey(of: step, hasCondition: hasCondition), let isSensitive = missing[name],
        reached.chosenBranches[step] == nil
      {
        return (step, name, isSensitive)
      }
      // A step needs nothing if its condition skips it.
      if hasCondition { return nil }
      let ports = facts.ports[step]
      // A step that has failed for good doesn't read again: its recovery runs.
      if !ports.areUndeclared, !reached.failedSteps.contains(step),
        let found = ports.inputs.first(where: { $0.isRequired && missing[$0.name] != nil }),
        let isSensitive = missing[found.name]
      {
        return (step, found.name, isSensitive)
      }
      if ports.mayWriteAnything { return nil }
      for output in ports.outputs + ports.itemWrites { missing[output.name] = nil }
      switch blueprint.steps[step].kind {
      case .operation, .closure, .group: break
      case .flow(let inner, _, _): open.append((inner, 0))
      case .parallel(let branches): open += branches.reversed().map { ($0.block, 0) }
      case .cases(let cases):
        guard let branch = reached.chosenBranches[step] ?? nil else { return nil }
        open.append((cases.branches[branch].block, 0))
      }
    }
    return nil
  }
}

extension Blueprint {
  /// Returns the first key whose value decides if a step runs, or which of its branches; `nil` if there is none.
  fileprivate func firstDecidingKey(of step: StepID, hasCondition: Bool) -> String? {
    if hasCondition { return steps[step].options?.conditions.first?.input?.name }
    guard case .cases(let cases) = steps[step].kind else { return nil }
    return cases.branches.first?.condition.key
  }
}

extension FlowError {
  /// Returns the error for a value that a step will require, but is missing after a resume.
  fileprivate static func missingAfterResume(
    _ name: String, isSensitive: Bool, writer: FlowPath?, reader: FlowPath?
  ) -> FlowError {
    let (withheld, shownName) = (FlowError.unavailable(name, isSensitive: isSensitive), ValueText.name(name))
    let by = writer.map { ", written by \($0)," } ?? ","
    let why = isSensitive ? "it is sensitive, and a journal doesn't store it" : "it isn't stored"
    let step = reader?.description ?? "a step"
    return FlowError(
      .missingData,
      "\(step) requires <\(shownName)>\(by) which was there before the run was resumed, and is missing now: \(why).",
      remedy: withheld.remedy + " The run has not gone on, and can still be resumed.", step: reader?.description,
      key: name)
  }
}
