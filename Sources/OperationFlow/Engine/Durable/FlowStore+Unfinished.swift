import Foundation

/// A durable run that has begun and not ended.
public struct FlowUnfinishedRun: Sendable, Hashable {
  /// What identifies the run in its store.
  public let id: String
  /// The name of the flow that began it.
  public let flowName: String
  /// When it began.
  public let since: Date
  /// How many steps have settled, those within others included; attempts that were followed by another don't count.
  public let settledStepCount: Int
  /// How many items of groups have settled.
  public let settledItemCount: Int
}

extension FlowStore {
  /// Returns the runs that have begun and not ended, in the order of their identifiers, such as after a restart.
  ///
  /// It reads the journal of every run in the store, on a thread that may wait for files. A run that is under way, in this
  /// process or in another one, is among them.
  ///
  /// - Returns: The runs.
  /// - Throws: ``FlowError`` if a journal can't be read.
  public func unfinished() async throws -> [FlowUnfinishedRun] {
    try await FileWork.perform {
      var runs: [FlowUnfinishedRun] = []
      for id in try runIDs() {
        guard let entries = try readJournal(of: id), let run = try FlowUnfinishedRun(id, entries) else { continue }
        runs.append(run)
      }
      return runs
    }
  }
}

extension FlowUnfinishedRun {
  /// `nil` if the run has not begun, or has ended.
  fileprivate init?(_ id: String, _ entries: [Data]) throws {
    guard let first = entries.first, case .begun(let beginning) = try JournalEntry(first) else { return nil }
    if let last = entries.last, JournalEntry.isEnding(last) { return nil }
    var (steps, items) = (0, 0)
    for entry in entries.dropFirst() {
      switch try JournalEntry(entry) {
      case .settled(let settlement):
        if case .failed(_, .some) = settlement.result { continue }
        switch settlement.work.work {
        case .step, .leave, .collect: steps += 1
        case .item where !settlement.work.isHanding: items += 1
        default: break
        }
      case .runs(let runs):
        for run in runs { if run.first.item == nil { steps += run.count } else { items += run.count } }
      case .begun, .decided, .ended: break
      }
    }
    self.init(
      id: id, flowName: beginning.flowName, since: beginning.date, settledStepCount: steps, settledItemCount: items)
  }
}
