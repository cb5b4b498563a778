import Foundation
import OperationFlow
import OperationFlowStorage

/// The events of a run that can be read from the entries of its journal; their texts hide sensitive values.
///
/// Work that a checkpoint has folded has no times, and no events. A journal doesn't have the texts that steps have
/// logged.
struct StoredEvents: Sendable {
  private(set) var all: [FlowEvent] = []
  private let flowName: String
  private let shape: [StepShape]
  /// The texts of the values that the data bucket had last.
  private var values: [String: String] = [:]
  /// The steps that have begun to wait.
  private var begun: Set<Int> = []
  /// The text of the last failure of each step or item, for its recovery.
  private var failures: [RunWork: String] = [:]
  /// The numbers of items of each group that have succeeded.
  private var outputCounts: [Int: Int] = [:]
  private var lastDate: Date

  init(_ beginning: JournalBeginning) {
    (flowName, shape, lastDate) = (beginning.flowName, beginning.shape, beginning.date)
    for write in beginning.data { values[write.name] = write.text }
    add(.flowStarted(items), FlowEvent.Source(flowName), at: beginning.date)
  }

  private var items: [FlowEvent.Item] {
    values.sorted { $0.key < $1.key }.map { FlowEvent.Item(name: ValueText.name($0.key), text: $0.value) }
  }

  mutating func add(_ entry: JournalEntry) {
    switch entry {
    case .begins(let begin):
      let source = source(begin.work, attempt: begin.attempt)
      add(begin.work.kind == .undo ? .undoStarted : .started, source, at: begin.date)
    case .settled(let settlement): add(settlement)
    case .waits(let wait):
      guard shape.indices.contains(wait.step), begun.insert(wait.step).inserted else { return }
      add(.started, source(RunWork(.step, of: wait.step), attempt: wait.attempt), at: lastDate)
    case .decided(let decision):
      if decision.error == nil { add(.cancelRequested, FlowEvent.Source(flowName), at: decision.date) }
    case .rests, .left:
      add(.logged("left to be resumed", .info), FlowEvent.Source(flowName), at: lastDate)
    case .ended(let ending):
      for write in ending.data { values[write.name] = write.text }
      add(.flowFinished(Self.finish(of: ending), items), FlowEvent.Source(flowName), at: ending.date)
    case .begun, .runs: break
    }
  }

  // MARK: Settlements

  private mutating func add(_ settlement: JournalSettlement) {
    let (work, date) = (settlement.work, settlement.date)
    var source = source(work, attempt: settlement.attempt)
    if let name = settlement.parts.name { source.name = name }
    add(settlement.parts.writes, source, at: date)
    switch (work.kind, settlement.result) {
    case (.step, .failed(let error, let delay)), (.item, .failed(let error, let delay)):
      failures[work] = error.shownText
      add(.finished(.withError(error.shownText)), source.failing(delay == nil ? .own : .retried), at: date)
    case (.recover, .succeeded):
      add(.recovered(.withError(failures[work.attemptedWork] ?? "an error")), source, at: date)
    case (.undo, .failed(let error, let delay)):
      add(.undoFinished(.withError(error.shownText)), source.failing(delay == nil ? .own : .retried), at: date)
    case (.undo, .succeeded): add(.undoFinished(.successfully), source, at: date)
    case (.undo, .cancelled): add(.undoFinished(.cancelled), source, at: date)
    case (.check, .skipped): add(.skipped(held: "not stored"), source, at: date)
    case (.choose, .chosen(let branch)):
      guard let branch, let step = work.step, shape.indices.contains(step) else {
        return add(.noCaseMatched(held: "not stored"), source, at: date)
      }
      let names = shape[step].branchNames
      add(.caseChosen(names.indices.contains(branch) ? names[branch] : "\(branch + 1)"), source, at: date)
    case (.enter, .entered): add(.started, source, at: date)
    case (.plan, .planned(let count, _)):
      if let count { add(.groupCreated(count: count), source, at: date) }
      add(.groupStarted, source, at: date)
    case (.collect, .succeeded):
      add(.groupFinished(outputCount: outputCounts[work.step ?? 0, default: 0]), source, at: date)
    case (.step, .succeeded), (.item, .succeeded), (.leave, .succeeded):
      if work.kind == .item, let step = work.step { outputCounts[step, default: 0] += 1 }
      add(.finished(.successfully), source, at: date)
    case (_, .failed(let error, _)): add(.finished(.withError(error.shownText)), source, at: date)
    case (_, .cancelled): add(.finished(.cancelled), source, at: date)
    default: break
    }
  }

  private mutating func add(_ writes: [StoredWrite], _ source: FlowEvent.Source, at date: Date) {
    for write in writes {
      let (name, old, new) = (ValueText.name(write.name), values[write.name], write.text)
      values[write.name] = new
      switch (old, new) {
      case (nil, let new?): add(.added(name: name, text: new), source, at: date)
      case (let old?, let new?): add(.replaced(name: name, old: old, new: new), source, at: date)
      case (let old?, nil): add(.removed(name: name, old: old), source, at: date)
      case (nil, nil): break
      }
    }
  }

  // MARK: Events

  private mutating func add(_ kind: FlowEvent.Kind, _ source: FlowEvent.Source, at date: Date) {
    // Work that a checkpoint has folded has no date.
    if date == .distantPast { return }
    lastDate = max(lastDate, date)
    let step = Int(clamping: source.step)
    let path = shape.indices.contains(step) ? FlowPath(shape[step].path) : nil
    all.append(FlowEvent(date: date, source: source, kind: kind, number: all.count, path: path))
  }

  private func source(_ work: RunWork, attempt: Int) -> FlowEvent.Source {
    guard let step = work.step, shape.indices.contains(step) else { return FlowEvent.Source(flowName) }
    return FlowEvent.Source(shape[step].name, step: step, item: work.item, attempt: attempt)
  }

  private static func finish(of ending: JournalEnding) -> FlowEvent.Finish {
    switch ending.way {
    case .succeeded: .successfully
    case .failed(let error): .withError(error.shownText)
    case .cancelled: .cancelled
    }
  }
}

extension StepShape {
  /// The last part of the step's path, without its number.
  package var name: String {
    let last = path.components(separatedBy: " > ").last ?? path
    guard let point = last.range(of: ". "), last[..<point.lowerBound].allSatisfy(\.isNumber) else { return last }
    return String(last[point.upperBound...])
  }

  /// The names of the step's branches, in their order; empty if it has none.
  package var branchNames: [String] {
    for kind in ["cases: ", "branches: "] where traits.hasPrefix(kind) {
      let names = traits.dropFirst(kind.count).components(separatedBy: " | ")
      // Other traits follow the last name.
      return names.dropLast() + [names.last?.components(separatedBy: ", ").first ?? ""]
    }
    return []
  }
}
