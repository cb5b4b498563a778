import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

extension FlowStoredRecord {
  /// The run as a record, from which a page is made.
  ///
  /// It has no log, no types of operations, and no times of work that a checkpoint has folded: the journal has none.
  var record: FlowRecord {
    let ending = recordEnding
    return FlowRecord(
      flowName: run.flowName, steps: RecordSteps(self, failedStep: ending?.failure?.step).all, events: events,
      ending: ending)
  }

  private var recordEnding: FlowRecord.Ending? {
    guard let ending else { return nil }
    switch run.state {
    case .succeeded: return FlowRecord.Ending(result: .succeeded, duration: ending.duration, text: "")
    case .cancelled: return FlowRecord.Ending(result: .cancelled, duration: ending.duration, text: "")
    case .failed(let problem):
      let failure = FlowRecord.Failure(
        name: ending.name ?? FlowEvent.Source(run.flowName).description, step: ending.step, item: ending.item,
        attempt: ending.attempt, problem: problem, remedy: nil, isRefusal: false)
      return FlowRecord.Ending(
        result: .failed, duration: ending.duration, text: " in \(failure.name): \(problem)", failure: failure)
    case .unfinished, .waiting, .unreadable: return nil
    }
  }
}

/// The steps of a stored run as a record has them, with the branches among them.
private struct RecordSteps {
  private(set) var all: [FlowRecord.Step] = []

  private let stored: FlowStoredRecord
  private let failedStep: Int?
  /// The numbers of the steps in each block.
  private var blocks: [ShapeBlock: [Int]] = [:]
  /// The number of the next branch: the numbers of branches follow those of the steps.
  private var nextBranch: Int
  /// The times of each step, from its events.
  private var times: [Int: (begin: Date, end: Date?)] = [:]

  init(_ stored: FlowStoredRecord, failedStep: Int?) {
    (self.stored, self.failedStep) = (stored, failedStep)
    nextBranch = stored.shape.count
    for (step, shape) in stored.shape.enumerated() { blocks[shape.block, default: []].append(step) }
    for event in stored.events where event.source.item == nil {
      guard let step = event.step else { continue }
      switch event.kind {
      case .started, .groupStarted: times[step] = times[step] ?? (event.date, nil)
      case .finished, .recovered, .groupFinished: if times[step] != nil { times[step]?.end = event.date }
      default: break
      }
    }
    add(.root, parent: nil, isSkipped: false)
  }

  private mutating func add(_ block: ShapeBlock, parent: Int?, isSkipped: Bool) {
    for step in blocks[block] ?? [] {
      let shape = stored.shape[step]
      let names = shape.branchNames
      all.append(self.step(step, shape, parent: parent, isSkipped: isSkipped))
      if names.isEmpty {
        add(ShapeBlock(owner: step, branch: 0), parent: step, isSkipped: isSkipped)
        continue
      }
      for (branch, name) in names.enumerated() {
        let id = nextBranch
        nextBranch += 1
        let inner = ShapeBlock(owner: step, branch: branch)
        let chosen = stored.steps[step].chosenBranch
        let isSkipped = isSkipped || chosen != nil && chosen != branch
        all.append(
          FlowRecord.Step(
            id: id, parent: step, name: name, number: nil, kind: .branch, path: FlowPath("\(shape.path) > \(name)"),
            state: isSkipped ? .skipped : state(of: inner)))
        add(inner, parent: id, isSkipped: isSkipped)
      }
    }
  }

  private func step(_ step: Int, _ shape: StepShape, parent: Int?, isSkipped: Bool) -> FlowRecord.Step {
    let found = stored.steps[step]
    let isGroup = shape.traits.hasPrefix("group")
    let times = times[step]
    let duration = times.flatMap { times in times.end.map { Duration.seconds($0.timeIntervalSince(times.begin)) } }
    var items: FlowReport.Items?
    if isGroup, found.settledItemCount > 0 || found.itemCount != nil {
      items = FlowReport.Items(
        total: found.itemCount,
        succeeded: found.settledItemCount - found.failedItemCount - found.cancelledItemCount,
        failed: found.failedItemCount, cancelled: found.cancelledItemCount)
    }
    return FlowRecord.Step(
      id: step, parent: parent, name: shape.name, number: shape.number, kind: Self.kind(shape.traits),
      path: FlowPath(shape.path), options: Self.options(shape), state: isSkipped ? .skipped : state(of: step),
      duration: duration,
      attempts: max(found.attempt, times == nil ? 0 : 1), items: items)
  }

  // MARK: States

  private func state(of step: Int) -> FlowRecord.State {
    let found = stored.steps[step]
    return state(found.stateBeforeUndo ?? found.state, containsFailure: failedStep.map { contains(step, $0) } ?? false)
  }

  private func state(_ state: FlowStoredRecord.State, containsFailure: Bool) -> FlowRecord.State {
    switch state {
    case .notReached: stored.run.hasEnded ? .neverRan : .waiting
    case .atWork, .waiting, .retried, .undoing:
      if stored.run.hasEnded { containsFailure ? .failed : .cancelled } else { .running }
    case .succeeded, .recovered, .undone, .undoFailed: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    case .skipped: .skipped
    }
  }

  private func state(of block: ShapeBlock) -> FlowRecord.State {
    let inner = (blocks[block] ?? []).map(state)
    for state in [FlowRecord.State.failed, .running, .cancelled] where inner.contains(state) { return state }
    if inner.allSatisfy({ $0 == .waiting || $0 == .neverRan }) { return stored.run.hasEnded ? .neverRan : .waiting }
    return .succeeded
  }

  /// Returns true if `step` is `outer`, or is within it.
  private func contains(_ outer: Int, _ step: Int) -> Bool {
    var next = step
    while next != outer {
      guard stored.shape.indices.contains(next), stored.shape[next].block.owner < next else { return false }
      next = stored.shape[next].block.owner
      if next < 0 { return false }
    }
    return true
  }

  // MARK: Shapes

  private static func kind(_ traits: String) -> FlowRecord.Kind {
    let kind = traits.components(separatedBy: ", ").first ?? traits
    return switch kind {
    case "closure": .closure
    case "flow": .flow
    case "always": .always
    case _ where kind.hasPrefix("group"): .group(width: 1, stopText: nil)
    case _ where kind.hasPrefix("cases"): .cases
    case _ where kind.hasPrefix("branches"): .parallel
    default: .other(kind)
    }
  }

  private static func options(_ shape: StepShape) -> Set<FlowRecord.Option> {
    let traits = shape.traits.components(separatedBy: ", ").dropFirst()
    var options: Set<FlowRecord.Option> = shape.awaited == nil ? [] : [.wait]
    if traits.contains(where: { $0.hasPrefix("undone") }) { options.insert(.undo) }
    if traits.contains("on a condition") { options.insert(.condition) }
    if traits.contains("timed") { options.insert(.timeout) }
    if traits.contains(where: { $0.hasPrefix("at most ") }) { options.insert(.retry) }
    return options
  }
}

extension StepShape {
  /// The number of the step in its block; `nil` if its path has none.
  fileprivate var number: Int? {
    let last = path.components(separatedBy: " > ").last ?? path
    let digits = last.prefix { $0.isNumber }
    return last.dropFirst(digits.count).hasPrefix(". ") ? Int(digits) : nil
  }
}
