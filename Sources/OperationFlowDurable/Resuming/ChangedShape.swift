import Foundation
import OperationFlow
import OperationFlowStorage

/// The numbers of the begun steps of a run in another flow that resumes the run.
struct ChangedShape {
  /// The new numbers, by the step's number in the flow that began the run; -1 if the step hasn't begun.
  private let numbers: [Int]
  private let reached: ResumePosition
  private let old: [StepShape]

  /// Compares two flows up to the point that a run has reached.
  ///
  /// - Throws: `FlowError` with the code `changedFlow` if they differ there; it contains the first step that differs.
  init(_ id: String, from old: [StepShape], to new: [StepShape], reached: ResumePosition) throws(FlowError) {
    var numbers = [Int](repeating: -1, count: old.count)
    let (newBlocks, newNumbers) = (ShapeBlocks(new), Dictionary(new.indices.map { (new[$0].path, $0) }) { $1 })
    let number = { (block: ShapeBlock, numbers: [Int]) in
      ShapeBlock(owner: block.owner < 0 ? -1 : numbers[block.owner], branch: block.branch)
    }
    for step in reached.steps {
      let place = newNumbers[old[step].path]
      var expected = old[step]
      expected.block = number(expected.block, numbers)
      guard let place, new[place] == expected else {
        let (block, isAtEnd) = (expected.block, expected.isAtEnd)
        let difference = ShapeDifference(
          from: old.filter { $0.block == old[step].block && $0.isAtEnd == isAtEnd },
          to: new.filter { $0.block == block && $0.isAtEnd == isAtEnd })
        throw .changed(id, difference ?? ShapeDifference(old[step], isNow: place.map { new[$0] }))
      }
      numbers[step] = place
    }
    let oldBlocks = ShapeBlocks(old)
    for block in reached.endedBlocks {
      let added = newBlocks.steps[number(block, numbers)]?.dropFirst(oldBlocks.steps[block]?.count ?? 0).first
      if let added { throw .changed(id, ShapeDifference(added: new[added])) }
    }
    for block in reached.isAtEnd ? reached.begunBlocks : [] {
      let added = newBlocks.always[number(block, numbers)]?.dropFirst(oldBlocks.always[block]?.count ?? 0).first
      if let added { throw .changed(id, ShapeDifference(added: new[added])) }
    }
    (self.numbers, self.reached, self.old) = (numbers, reached, old)
  }

  /// The paths of the steps that have begun.
  var begunPaths: Set<String> { Set(reached.steps.map { old[$0].path }) }

  /// True if the begun steps have the same numbers in both flows.
  var keepsNumbers: Bool { reached.steps.allSatisfy { numbers[$0] == $0 } }

  // MARK: Entries

  /// Returns an entry as the changed flow would have written it.
  func moved(_ data: Data) throws(FlowError) -> Data {
    var totals: JournalTotals?
    switch try JournalEntry(data, totals: &totals) {
    case .settled(var settlement):
      settlement.work = try moved(settlement.work)
      settlement.parts.claimed = try moved(settlement.parts.claimed)
      return JournalEntry.settled(settlement).data(for: nil, totals)
    case .runs(let runs):
      var moved: [JournalRun] = []
      for run in runs { moved += try self.moved(run) }
      return JournalEntry.runs(moved).data(for: nil, totals)
    case .decided(var decision):
      decision.claimed = try moved(decision.claimed) ?? []
      return JournalEntry.decided(decision).data(for: nil, totals)
    case .waits(var wait):
      wait.step = try number(wait.step)
      return JournalEntry.waits(wait).data(for: nil, totals)
    case .begins(let begin): return JournalEntry.begins(begin.moved(to: try moved(begin.work))).data(for: nil, totals)
    case .rests, .left: return data
    case .begun, .ended: throw .unreadableEntry
    }
  }

  private func number(_ step: Int) throws(FlowError) -> Int {
    guard numbers.indices.contains(step), numbers[step] >= 0 else { throw .unreadableEntry }
    return numbers[step]
  }

  private func moved(_ works: [RunWork]?) throws(FlowError) -> [RunWork]? {
    guard let works else { return nil }
    var moved: [RunWork] = []
    for work in works { moved.append(try self.moved(work)) }
    return moved
  }

  private func moved(_ work: RunWork) throws(FlowError) -> RunWork {
    guard let step = work.step else { return work }
    return RunWork(work.kind, of: try number(step), item: work.item)
  }

  /// Returns the ranges that replace a range: its steps may no longer be consecutive.
  private func moved(_ run: JournalRun) throws(FlowError) -> [JournalRun] {
    guard run.first.kind == .step, let first = run.first.step else {
      let work = try moved(run.first)
      return [JournalRun(first: work, count: run.count, outputs: run.outputs)]
    }
    var moved: [JournalRun] = []
    for place in 0..<run.count {
      let step = try number(first + place)
      if let last = moved.indices.last, moved[last].work(at: moved[last].count) == RunWork(.step, of: step) {
        moved[last].count += 1
      } else {
        moved.append(JournalRun(first: RunWork(.step, of: step), count: 1, outputs: nil))
      }
      if let outputs = run.outputs {
        moved[moved.count - 1].outputs = (moved[moved.count - 1].outputs ?? []) + [outputs[place]]
      }
    }
    return moved
  }
}

extension FlowError {
  /// Returns the error with the first difference between an old and a new flow; `nil` if they are equal.
  static func changedFlow(_ id: String, from old: [StepShape], to new: [StepShape]) -> FlowError? {
    guard old != new else { return nil }
    let place = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
    // A step may have moved to another block without a change of its name.
    let difference =
      ShapeDifference(from: old, to: new)
      ?? ShapeDifference(old[min(place, old.count - 1)], isNow: place < new.count ? new[place] : nil)
    return changedFlow(
      id, difference,
      remedy: "Resume it with the flow that began it, or start a new run under another id. If the change comes after "
        + "everything that has begun, pass acceptsChanges: true to run(id:in:).")
  }

  /// Returns the error for a change of a step that has begun, or may have.
  fileprivate static func changed(_ id: String, _ difference: ShapeDifference) -> FlowError {
    changedFlow(
      id, difference,
      remedy:
        "What has begun, or may have, must be the same. Resume the run with a flow that is the same up to there, or "
        + "start a new run under another id.")
  }

  /// Returns the error for a run that another flow began.
  static func otherFlow(_ id: String, of old: String, for new: String) -> FlowError {
    let (old, new) = (ValueText.name(old), ValueText.name(new))
    return FlowError(
      .changedFlow, "the run \(shown(id)) was begun by the flow \"\(old)\", and not by \"\(new)\"",
      remedy:
        "Give the run of \"\(new)\" another id. If \"\(old)\" was renamed, pass acceptsChanges: true to run(id:in:).")
  }

  private static func changedFlow(_ id: String, _ difference: ShapeDifference, remedy: String) -> FlowError {
    FlowError(
      .changedFlow, "the run \(shown(id)) was begun by a flow of another shape: \(difference)", remedy: remedy)
  }
}
