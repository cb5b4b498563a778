import Foundation
import OperationFlow
import OperationFlowStorage

/// The runs that this process has left in order, but whose journals could not be written to record that.
///
/// Their journals get the entry when this process opens them again, so that begun attempts don't count as crashes.
final class RunsLeftHere: Sendable {
  static let shared = RunsLeftHere()

  private struct Run: Hashable {
    let id: String
    let flowName: String
    /// The last entry about the beginning of an attempt, which distinguishes the run from another one with the same id.
    let begin: Data
  }

  private let runs = Locked<Set<Run>>([])

  /// Adds a run that was left.
  func insert(_ id: String, of flowName: String, _ begin: Data) {
    _ = runs.withLock { $0.insert(Run(id: id, flowName: flowName, begin: begin)) }
  }

  /// Appends the missing entry to the journal of a run that was left here; returns all entries.
  func complete(_ entries: [Data], of id: String, _ flowName: String, _ journal: any FlowJournal) throws -> [Data] {
    let kind = JournalEntry.Kind.begins.rawValue
    guard !runs.withLock({ $0.isEmpty }), let begin = entries.last(where: { $0.first == kind }) else { return entries }
    let run = Run(id: id, flowName: flowName, begin: begin)
    guard runs.withLock({ $0.contains(run) }) else { return entries }
    let left = JournalEntry.left.data
    try journal.append(left)
    _ = runs.withLock { $0.remove(run) }
    return entries + [left]
  }
}
