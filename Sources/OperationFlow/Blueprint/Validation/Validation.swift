/// Checks a blueprint before it runs: follows every path, without recursion, and applies the rules at each step.
final class Validation {
  private(set) var problems: [FlowProblem] = []
  let blueprint: Blueprint
  let facts: BlueprintFacts
  let findsErrorsOnly: Bool
  private(set) lazy var hasOpenCases = blueprint.steps.contains { step in
    if case .cases(let cases) = step.kind { !cases.areCombined } else { false }
  }
  private(set) lazy var comparedValues = comparedTexts
  /// The last step that writes each name.
  private(set) lazy var lastWriters = blueprint.steps.indices.reduce(into: [String: Blueprint.StepID]()) { last, step in
    for output in facts.ports[step].outputs { last[output.name] = step }
  }
  /// The knowledge about the data bucket at the current place of the walk.
  private(set) var known = KnownData()
  /// The blocks that are being walked, the outermost first.
  private var open: [OpenBlock] = []

  /// Returns the problems of a whole blueprint; `dataMayGrow` is true if more data may be added before the run.
  static func problems(
    _ blueprint: Blueprint, _ facts: BlueprintFacts, data: FlowData, dataMayGrow: Bool, errorsOnly: Bool = false
  ) -> [FlowProblem] {
    let validation = Validation(blueprint, facts, findsErrorsOnly: errorsOnly)
    if errorsOnly { validation.findDependencies() } else { validation.findSpentOperations() }
    validation.findOperationsUsedTwice()
    validation.checkAll(data, dataMayGrow: dataMayGrow)
    return validation.problems
  }

  private init(_ blueprint: Blueprint, _ facts: BlueprintFacts, findsErrorsOnly: Bool) {
    self.blueprint = blueprint
    self.facts = facts
    self.findsErrorsOnly = findsErrorsOnly
  }

  /// Adds a problem; a warning is left out if only errors are wanted.
  func report(
    _ severity: FlowProblem.Severity, _ code: FlowError.Code, at path: FlowPath, _ problem: String, remedy: String,
    key: String? = nil
  ) {
    if severity == .warning, findsErrorsOnly { return }
    problems.append(FlowProblem(severity, code, at: path, problem, remedy: remedy, key: key))
  }

  func report(_ error: FlowError, at path: FlowPath) { problems.append(FlowProblem(error, at: path)) }

  func path(of step: Blueprint.StepID) -> FlowPath { FlowPath(facts.paths, step) }

  private func checkAll(_ data: FlowData, dataMayGrow: Bool) {
    findInvalidTraits()
    findInvalidBranches()
    findIgnoredOptions()
    if !findsErrorsOnly {
      findEmptyFlow()
      findDependencies()
      findLooseCombines()
      findConcurrentWrites()
      if !dataMayGrow { findUnreadData(data) }
    }
    known = KnownData(data.values)
    if dataMayGrow { known.forgetAll() }
    walk(Blueprint.root)
    for block in blueprint.blocks where blueprint.has(.always) {
      for always in block.always {
        // The run may have ended anywhere, so any data is possible for its `always` steps.
        known = KnownData()
        known.forgetAll()
        walk(always)
      }
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
  }

  /// Walks over a block and all that is within it, in the order of a run.
  private func walk(_ block: Blueprint.BlockID) {
    open = [OpenBlock(block)]
    while let index = open.indices.last {
      if let entered = open[index].entered {
        if enterNext(of: entered, in: index) { continue }
        open[index].entered = nil
        join(entered, mayHaveEnded: open[index].mayHaveEnded)
        leave(entered.step)
        endPart(entered.step, in: index)
      } else if known.isReachable, let step = nextStep(in: index) {
        begin(step, in: index)
      } else {
        endBlock()
      }
    }
  }

  private func nextStep(in index: Int) -> Blueprint.StepID? {
    let steps = blueprint.blocks[open[index].block].steps
    guard open[index].next < steps.count else { return nil }
    open[index].next += 1
    return steps[open[index].next - 1]
  }

  /// Checks a step; if steps are within it, they are walked before its own writes are recorded.
  private func begin(_ id: Blueprint.StepID, in index: Int) {
    if facts.ports[id].areUndeclared { return known.forgetAll() }
    if !findsErrorsOnly { findUnmetConditions(of: id) }
    beginPart(id, in: index)
    let conditions = blueprint.steps[id].options?.conditions ?? []
    if !conditions.isEmpty {
      known.fork()
      if !conditions.allSatisfy({ $0.flowCase.map { known.mustMeet(oneOf: [$0]) } ?? false }) { known.endPath() }
      for condition in conditions { known.assume(condition) }
    }
    if known.isReachable {
      check(ValidationPlace(id: id, ports: facts.ports[id], laterCount: laterCount(in: index)))
      if let entered = enter(id) {
        open[index].entered = entered
        return
      }
    }
    leave(id)
    endPart(id, in: index)
  }

  private func laterCount(in index: Int) -> Int {
    blueprint.blocks[open[index].block].steps.count - open[index].next + open[index].laterCount
  }

  /// Begins the paths through the blocks within a step; returns `nil` if the step has no blocks.
  private func enter(_ id: Blueprint.StepID) -> EnteredStep? {
    switch blueprint.steps[id].kind {
    case .operation, .closure, .group: return nil
    case .flow(let block, let data, _):
      for (name, value) in data { known.ensure(name, value, flow: id) }
      return EnteredStep(step: id, blocks: [block])
    case .parallel(let branches):
      known.fork()
      return EnteredStep(step: id, blocks: branches.map(\.block))
    case .cases(let cases):
      // Without an `otherwise`, the flow, or the parallel branch around all cases that are being walked, may end here.
      if !cases.hasOtherwise, !known.mustMeet(oneOf: cases.branches.map(\.condition)) {
        for index in open.indices.reversed() {
          open[index].mayHaveEnded = true
          if !open[index].isCase { break }
        }
      }
      known.fork()
      let taken = cases.takenConditions
      return EnteredStep(
        step: id, blocks: cases.branches.map(\.block), conditions: taken, keys: Set(taken.compactMap { $0?.key }))
    }
  }

  /// Enters the next block within a step; returns false after the last one.
  private func enterNext(of entered: EnteredStep, in index: Int) -> Bool {
    var next = entered.next
    while !entered.conditions.isEmpty, next < entered.blocks.count, entered.conditions[next] == nil { next += 1 }
    guard next < entered.blocks.count else { return false }
    open[index].entered?.next = next + 1
    var block = OpenBlock(entered.blocks[next])
    if !entered.conditions.isEmpty, let condition = entered.conditions[next] {
      block.isCase = true
      block.laterCount = laterCount(in: index)
      if condition.key == nil {
        known.exclude(entered.conditions.compactMap(\.self))
      } else {
        // The earlier branches weren't chosen, which only matters if they compare other keys.
        if entered.keys.count > 1 { known.blur() }
        known.assume(condition)
      }
    }
    if case .flow = blueprint.steps[entered.step].kind { block.endsPath = false }
    open.append(block)
    return true
  }

  /// Begins the part of a block that isn't reached if cases end the block: these cases, and all steps after them.
  private func beginPart(_ id: Blueprint.StepID, in index: Int) {
    if blueprint.mayEndBlock(id), !open[index].isRest { known.fork() }
  }

  private func endPart(_ id: Blueprint.StepID, in index: Int) {
    guard blueprint.mayEndBlock(id) else { return }
    if open[index].mayHaveEnded {
      open[index].isRest = true
      open[index].mayHaveEnded = false
    } else if !open[index].isRest {
      known.forgetFork()
    }
  }

  private func endBlock() {
    guard let block = open.popLast() else { return }
    if block.isRest {
      // A run that ended in a branch of cases doesn't continue after these cases.
      if block.isCase {
        known.forgetFork()
      } else {
        known.endPath()
        known.joinEarlyEnds()
      }
    }
    if block.endsPath { known.endPath() }
  }

  private func join(_ entered: EnteredStep, mayHaveEnded: Bool) {
    switch blueprint.steps[entered.step].kind {
    case .operation, .closure, .group, .flow: break
    case .parallel: known.joinAll()
    case .cases: known.join(partedBy: entered.keys, mayHaveEnded: mayHaveEnded)
    }
  }

  /// Records the writes of a step; a step with conditions may also have been skipped.
  private func leave(_ id: Blueprint.StepID) {
    let ports = facts.ports[id]
    if ports.mayWriteAnything { known.forgetAll() }
    let options = blueprint.steps[id].options
    let recovers = options?.attempts?.recovers == true
    for output in ports.outputs {
      if recovers { known.mayWrite(output, by: id) } else { known.write(output, by: id) }
    }
    for output in ports.itemWrites { known.mayWrite(output, by: id) }
    guard let conditions = options?.conditions, !conditions.isEmpty else { return }
    known.endPath()
    known.join(partedBy: Set(conditions.compactMap(\.input?.name)))
  }
}

/// A step that is checked.
struct ValidationPlace {
  let id: Blueprint.StepID
  let ports: StepPorts
  /// The number of later steps that are skipped if cases end the flow here.
  let laterCount: Int
}

/// A step with the blocks within it, some of which the walk hasn't reached yet.
private struct EnteredStep {
  let step: Blueprint.StepID
  let blocks: [Blueprint.BlockID]
  /// The conditions of branches of cases, with `nil` for a branch that is never chosen, and the keys that they compare.
  var conditions: [FlowCase?] = []
  var keys: Set<String> = []
  var next = 0
}

/// A block that is being walked.
private struct OpenBlock {
  let block: Blueprint.BlockID
  /// True if the block is one of several paths; only the block of a flow that is a step isn't.
  var endsPath = true
  /// True for a branch of cases; if no case in the branch matches, the block around the branch ends as well.
  var isCase = false
  /// The number of steps after the block that are skipped if it ends early.
  var laterCount = 0
  var next = 0
  /// The step whose blocks are being walked.
  var entered: EnteredStep?
  /// True if the block may have ended in its current step, because no case matched.
  var mayHaveEnded = false
  /// True if the block may have ended in an earlier step.
  var isRest = false

  init(_ block: Blueprint.BlockID) { self.block = block }
}

extension Blueprint {
  fileprivate func mayEndBlock(_ step: StepID) -> Bool { if case .cases = steps[step].kind { true } else { false } }
}
