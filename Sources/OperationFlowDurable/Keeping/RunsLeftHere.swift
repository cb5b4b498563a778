import Foundation
import OperationFlow
import OperationFlowStorage

/// The runs that this process has left in order, and whose journals could not be given that.
///
/// The store may work again before the process ends. Then what had begun is no attempt in which a process has ended.
final class RunsLeftHere: Sendable {
  static let shared = RunsLeftHere()

  private struct Run: Hashable {
    let id: String
    let flowName: String
    /// The last entry about an attempt that begins, which tells the run from another one of the same identifier.
    let begin: Data
  }

  private let runs = Locked<Set<Run>>([])

  /// Adds a run that is left.
  func insert(_ id: String, of flowName: String, _ begin: Data) {
    _ = runs.withLock { $0.insert(Run(id: id, flowName: flowName, begin: begin)) }
  }

  /// Gives the journal of such a run what it could not be given before; returns the entries that it has then.
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
