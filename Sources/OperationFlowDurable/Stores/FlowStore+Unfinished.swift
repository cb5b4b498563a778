import Foundation
import OperationFlow
import OperationFlowStorage

/// A durable run that has begun and not ended, or whose journal can't be read.
public struct FlowUnfinishedRun: Sendable, Hashable {
  /// The identifier of the run in its store; the name of its file if its identifier can't be read.
  public let id: String
  /// The name of the flow that began the run; empty if the journal doesn't have it.
  public let flowName: String
  /// The time when the run began; `Date.distantPast` if the journal doesn't have it.
  public let since: Date
  /// The number of steps that have settled, those within others included; attempts that were followed by another don't
  /// count.
  public let settledStepCount: Int
  /// The number of items of groups that have settled.
  public let settledItemCount: Int
  /// The error that makes the journal unreadable, such as damage; `nil` if none was found.
  ///
  /// Damage in the middle of a file is found when the run is resumed. The counts include only the entries that could be
  /// read. The run can't be resumed until the cause is removed.
  public let error: FlowError?
  /// The number of times in a row that the process ended in the same step, item or undo; 0 if no attempt is open.
  ///
  /// The run settled nothing else in between, so it is likely to end its process again. An attempt that a process is
  /// running now counts as one.
  public private(set) var crashCount = 0

  /// Returns true if two runs are equal in all properties; errors are equal if their codes and texts are.
  public static func == (one: Self, other: Self) -> Bool {
    one.id == other.id && one.flowName == other.flowName && one.since == other.since
      && one.settledStepCount == other.settledStepCount && one.settledItemCount == other.settledItemCount
      && one.crashCount == other.crashCount
      && one.error?.code == other.error?.code && one.error?.description == other.error?.description
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension FlowStore {
  /// Returns no runs, for stores that have the identifier of each journal.
  ///
  /// - Returns: An empty array.
  public func unreadableRuns() throws -> [FlowUnfinishedRun] { [] }

  /// Returns the runs that have begun and not ended, in the order of their identifiers, such as after a restart.
  ///
  /// For a ``FileFlowStore``, it reads only the beginnings and the ends of the files, on a thread that may wait for
  /// them. So a run that has written much needs no more time than others. The result contains a run that is under way,
  /// in this process or in another one. It also contains a run whose journal can't be read, with its
  /// ``FlowUnfinishedRun/error``: such a run hides no other.
  ///
  /// - Returns: The runs.
  /// - Throws: `FlowError` if the store can't list its journals.
  public func unfinished() async throws -> [FlowUnfinishedRun] {
    try await FileWork.perform { try listRuns().compactMap { FlowUnfinishedRun($0) } }
  }
}

extension FlowUnfinishedRun {
  /// Creates a run whose journal can't be read, for a store of your own.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run, or of its journal.
  ///   - error: The problem of the journal.
  public init(unreadable id: String, _ error: FlowError) {
    self.init(
      id: id, flowName: "", since: .distantPast, settledStepCount: 0, settledItemCount: 0, error: error)
  }

  /// Creates an unfinished run from a stored one; `nil` if the run has ended.
  init?(_ run: FlowStoredRun) {
    if run.hasEnded { return nil }
    var problem: FlowError?
    if case .unreadable(let error) = run.state { problem = error }
    self.init(
      id: run.id, flowName: run.flowName, since: run.began ?? .distantPast, settledStepCount: run.settledStepCount,
      settledItemCount: run.settledItemCount ?? 0, error: problem)
    crashCount = run.crashCount
  }
}

extension JournalEnds {
  /// True if the run of the journal has ended.
  var isEnded: Bool { last.map(JournalEntry.isEnding) ?? false }
}
