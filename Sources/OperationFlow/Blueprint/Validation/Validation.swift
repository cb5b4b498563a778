/// Checks a blueprint before it runs: follows every path, without recursion, and asks the rules at each step.
final class Validation {
  private(set) var problems: [FlowProblem] = []
  let blueprint: Blueprint
  let facts: BlueprintFacts
  let findsErrorsOnly: Bool
  private let keys: ComparedKeys
  private(set) lazy var hasOpenCases = blueprint.steps.contains { step in
    if case .cases(let cases) = step.kind { !cases.areCombined } else { false }
  }
  /// The blocks that are being walked, the outermost first.
  private var open: [ValidatedBlock] = []

  /// The problems of a whole blueprint; `mayHoldMore` means that more may be added to the data.
  static func problems(
    _ blueprint: Blueprint, _ facts: BlueprintFacts, data: FlowData, mayHoldMore: Bool, errorsOnly: Bool = false
  ) -> [FlowProblem] {
    let validation = Validation(blueprint, facts, findsErrorsOnly: errorsOnly)
    if errorsOnly { validation.findDependencies() } else { validation.findSpentOperations() }
    validation.findOperationsUsedTwice()
    if !errorsOnly || !facts.areFilled(by: data, mayHoldMore: mayHoldMore) {
      validation.checkAll(data, mayHoldMore: mayHoldMore)
    }
    return validation.problems
  }

  private init(_ blueprint: Blueprint, _ facts: BlueprintFacts, findsErrorsOnly: Bool) {
    self.blueprint = blueprint
    self.facts = facts
    self.findsErrorsOnly = findsErrorsOnly
    keys = ComparedKeys(blueprint, facts)
  }

  /// Adds a problem, unless only errors are wanted and it is none.
  func report(
    _ severity: FlowProblem.Severity, _ code: FlowError.Code, at path: FlowPath, _ problem: String, remedy: String,
    key: String? = nil
  ) {
    if severity == .warning, findsErrorsOnly { return }
    problems.append(FlowProblem(severity, code, at: path, problem, remedy: remedy, key: key))
  }

  func report(_ error: FlowError, at path: FlowPath) { problems.append(FlowProblem(error, at: path)) }

  func path(of step: Blueprint.StepID) -> FlowPath { FlowPath(facts.paths, step) }

  private func checkAll(_ data: FlowData, mayHoldMore: Bool) {
    findInvalidTraits()
    findInvalidBranches()
    findIgnoredOptions()
    if !findsErrorsOnly {
      findEmptyFlow()
      findDependencies()
      findLooseCombines()
      findConcurrentWrites()
    }
    var known = KnownData(data.values)
    if mayHoldMore { known.forgetAll() }
    walk(Blueprint.root, KnownPaths([known]))
    // What runs at the end may find anything, because the run may end anywhere.
    known.forgetAll()
    for block in blueprint.blocks where blueprint.has(.always) {
      for always in block.always { walk(always, KnownPaths([known])) }
    }
  }

  private func check(_ place: ValidationPlace) {
    findInvalidGroup(at: place)
    findHiddenPorts(at: place)
    findMissingInputs(at: place)
    findMismatchedInputs(at: place)
    if findsErrorsOnly { return }
    findChangedTypes(at: place)
    findUnreachableCases(at: place)
    findMissingGroupKeys(at: place)
    findEarlyEnd(at: place)
    findUnmetConditions(at: place)
  }

  private func walk(_ block: Blueprint.BlockID, _ paths: KnownPaths) {
    open = [ValidatedBlock(block, paths)]
    while let block = open.last {
      if let inner = block.inner.popLast() {
        open.append(inner)
      } else if let end = goOn(in: block) {
        open.removeLast()
        open.last?.ends.append(end)
      }
    }
  }

  /// Continues in a block up to a step that contains others, or to its end: then it returns what is known there.
  private func goOn(in block: ValidatedBlock) -> KnownPaths? {
    if let step = block.entered.take() {
      join(step, block)
      leave(step, block)
    }
    let steps = blueprint.blocks[block.block].steps
    while block.next < steps.count {
      let id = steps[block.next]
      block.next += 1
      if facts.ports[id].areUndeclared {
        block.paths.update { $0.forgetAll() }
        continue
      }
      guard let before = block.paths.merged else { break }
      let path = path(of: id)
      check(
        ValidationPlace(
          id: id, ports: facts.ports[id], known: takeConditions(of: id, block, before), knownBefore: before, path: path,
          laterCount: steps.count - block.next + block.laterCount))
      if enter(id, path, block) {
        block.entered = id
        return nil
      }
      leave(id, block)
    }
    return .joining([block.takePaths()] + block.exits, keeping: keys)
  }

  /// Continues on the paths on which a step's conditions are met, and returns what is known then.
  private func takeConditions(of id: Blueprint.StepID, _ block: ValidatedBlock, _ before: KnownData) -> KnownData {
    guard let conditions = blueprint.steps[id].options?.conditions, !conditions.isEmpty else { return before }
    block.paths = block.paths.shared(among: 2)
    var skipping = SkippedStep(before: before)
    for condition in conditions {
      var unmet = block.paths
      if let flowCase = condition.flowCase {
        unmet.exclude(flowCase, keeping: keys)
        skipping.byValues.append(unmet)
      } else {
        skipping.byClosures.append(unmet)
      }
      block.paths.take(condition, keeping: keys)
    }
    block.skipping = skipping
    return block.paths.merged ?? before.doubted
  }

  private func enter(_ id: Blueprint.StepID, _ path: FlowPath, _ block: ValidatedBlock) -> Bool {
    switch blueprint.steps[id].kind {
    case .operation, .closure, .group: return false
    case .flow(let inner, let data, _):
      for (name, value) in data { block.paths.update { $0.ensure(name, value, flow: path) } }
      block.inner = [ValidatedBlock(inner, block.takePaths())]
    case .cases(let cases): enter(cases, block)
    case .parallel(let branches):
      block.paths = block.paths.shared(among: branches.count)
      let paths = block.paths.numbered
      block.inner = branches.reversed().map { ValidatedBlock($0.block, paths) }
    }
    return true
  }

  private func enter(_ cases: Blueprint.Cases, _ block: ValidatedBlock) {
    // The paths on which none of the branches so far is taken, and those on which none at all is.
    var remaining = block.takePaths().shared(among: cases.branches.count)
    var others = remaining
    others.exclude(cases, keeping: keys)
    // Without an otherwise, the flow ends here, or the parallel branch, which is around all cases that are being walked.
    if !cases.hasOtherwise { open.last { !$0.isCase }?.exits.append(.joining([others], keeping: keys)) }
    let laterCount = blueprint.blocks[block.block].steps.count - block.next + block.laterCount
    for (branch, isReachable) in zip(cases.branches, cases.areReachable) where isReachable {
      let paths = branch.condition.key == nil ? others : remaining.taking(branch.condition, keeping: keys)
      remaining.exclude(branch.condition, keeping: keys)
      block.inner.append(ValidatedBlock(branch.block, paths, isCase: true, laterCount: laterCount))
    }
    block.inner.reverse()
  }

  private func join(_ id: Blueprint.StepID, _ block: ValidatedBlock) {
    let ends = exchange(&block.ends, with: [])
    if case .parallel = blueprint.steps[id].kind {
      block.paths = .concurrently(block.paths, ends, keeping: keys)
    } else {
      block.paths = .joining(ends, keeping: keys)
    }
  }

  /// Records what a step writes, which is certain after it unless a condition may have skipped it.
  private func leave(_ id: Blueprint.StepID, _ block: ValidatedBlock) {
    let ports = facts.ports[id]
    if ports.mayWriteAnything || !ports.outputs.isEmpty || !ports.itemWrites.isEmpty {
      let path = path(of: id)
      block.paths.update { known in
        if ports.mayWriteAnything { known.forgetAll() }
        for output in ports.outputs { known.write(output.name, by: .step(path: path, type: output.type)) }
        for output in ports.itemWrites { known.mayWrite(output.name, by: .step(path: path, type: output.type)) }
      }
    }
    guard let skipping = block.skipping.take() else { return }
    let before = skipping.before
    var skipped = KnownPaths.joining(skipping.byValues, keeping: keys)
    skipped.update { $0.leaveConditions(before: before) }
    if !skipping.byClosures.isEmpty {
      var unmet = KnownPaths.joining(skipping.byClosures, keeping: keys)
      unmet.update { $0.leaveConditions(before: before) }
      if let taken = block.paths.merged { unmet.update { $0.assumeWritten(by: taken, since: before) } }
      skipped = .joining([skipped, unmet], keeping: keys)
      // True if a closure's condition can be met is unknown, so what the step writes isn't held against a later one.
      block.paths.update { $0 = $0.doubted }
    }
    block.paths.update { $0.leaveConditions(before: before) }
    block.paths = .joining([skipped, block.paths], keeping: keys)
  }
}

/// A step, with what is known when it is reached, before and after its conditions are met.
struct ValidationPlace {
  let id: Blueprint.StepID
  let ports: StepPorts
  let known: KnownData
  let knownBefore: KnownData
  let path: FlowPath
  /// How many steps cases would silently skip here.
  let laterCount: Int
}

/// What is known where the conditions of a step skip it.
private struct SkippedStep {
  /// What was known before the conditions.
  let before: KnownData
  /// The paths on which a value isn't the one that a condition compares it with.
  var byValues: [KnownPaths] = []
  /// The paths on which a closure's condition isn't met.
  var byClosures: [KnownPaths] = []
}

/// A block that is being walked; an object, so that what is known there is changed in place and never copied.
private final class ValidatedBlock {
  let block: Blueprint.BlockID
  /// Whether it is a branch of cases, so that it doesn't end where no case in it matches.
  let isCase: Bool
  /// How many steps after it are skipped if it ends early.
  let laterCount: Int
  var next = 0
  var paths: KnownPaths
  /// What is known after the current step if its conditions skip it.
  var skipping: SkippedStep?
  /// What is known where the block ends early because no case matches.
  var exits: [KnownPaths] = []
  /// The step whose blocks are being walked.
  var entered: Blueprint.StepID?
  /// Those of its blocks that are still to be walked, the first one last, and what is known at the ends of the others.
  var inner: [ValidatedBlock] = []
  var ends: [KnownPaths] = []

  init(_ block: Blueprint.BlockID, _ paths: KnownPaths, isCase: Bool = false, laterCount: Int = 0) {
    self.block = block
    self.paths = paths
    self.isCase = isCase
    self.laterCount = laterCount
  }

  func takePaths() -> KnownPaths { exchange(&paths, with: KnownPaths()) }
}
