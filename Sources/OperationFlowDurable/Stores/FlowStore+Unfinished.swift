import Foundation
import OperationFlow
import OperationFlowStorage

/// A durable run that has begun and not ended, or whose journal can't be read.
public struct FlowUnfinishedRun: Sendable, Hashable {
  /// The identifier of the run in its store; the name of its file if its identifier can't be read.
  public let id: String
  /// The name of the flow that began it; empty if the journal doesn't have it.
  public let flowName: String
  /// The time when the run began; `Date.distantPast` if the journal doesn't have it.
  public let since: Date
  /// The number of steps that have settled, those within others included; attempts that were followed by another don't
  /// count.
  public let settledStepCount: Int
  /// The number of items of groups that have settled.
  public let settledItemCount: Int
  /// The error that makes the journal unreadable, such as damage; `nil` if it can be read.
  ///
  /// The counts then include only what could be read. The run can't be resumed until the cause is removed.
  public let error: FlowError?
  /// How often the process has ended in the same step, item or undo, one time after the other; 0 if nothing has begun since.
  ///
  /// The run has settled nothing else in between: what it does now is likely to end its process.
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
  /// It reads the journals of all runs in the store that have not ended, on a thread that may wait for files. A run that is under way, in this
  /// process or in another one, is among them. So is one whose journal can't be read, with the
  /// ``FlowUnfinishedRun/error``: it hides no other.
  ///
  /// - Returns: The runs.
  /// - Throws: `FlowError` if the store can't tell which journals it has.
  public func unfinished() async throws -> [FlowUnfinishedRun] {
    try await FileWork.perform {
      var runs: [FlowUnfinishedRun] = []
      for id in try runIDs() where !Mailbox.isReserved(id) {
        do {
          // Of a run that has ended, what it has written isn't read.
          guard let last = try ends(of: id), !last.isEnded, let entries = try readJournal(of: id) else { continue }
          if let run = FlowUnfinishedRun(id, entries) { runs.append(run) }
        } catch {
          runs.append(FlowUnfinishedRun(unreadable: id, .storeError(error)))
        }
      }
      runs += try unreadableRuns()
      return runs.sorted { $0.id < $1.id }
    }
  }
}

extension FlowUnfinishedRun {
  /// Creates a run whose journal can't be read, for a store of your own.
  ///
  /// - Parameters:
  ///   - id: What identifies the run, or its journal.
  ///   - error: What is wrong with the journal.
  public init(unreadable id: String, _ error: FlowError) {
    self.init(
      id: id, flowName: "", since: .distantPast, settledStepCount: 0, settledItemCount: 0, error: error)
  }

  /// `nil` if the run has not begun, or has ended.
  fileprivate init?(_ id: String, _ entries: [Data]) {
    guard let first = entries.first else { return nil }
    do {
      guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
      if entries.count > 1, let last = entries.last, JournalEntry.isEnding(last) { return nil }
      var (steps, items) = (0, 0)
      var (problem, interrupted) = (FlowError?.none, InterruptedAttempts())
      do {
        for data in entries.dropFirst() {
          let entry = try JournalEntry(data)
          try entry.count(&steps, &items)
          interrupted.note(entry)
        }
      } catch {
        problem = error.located(flow: beginning.flowName, step: nil)
      }
      self.init(
        id: id, flowName: beginning.flowName, since: beginning.date, settledStepCount: steps, settledItemCount: items,
        error: problem)
      crashCount = interrupted.consecutiveCount
    } catch {
      self.init(unreadable: id, .storeError(error))
    }
  }
}

extension JournalEnds {
  /// True if the run of the journal has ended.
  var isEnded: Bool { last.map(JournalEntry.isEnding) ?? false }
}

extension JournalEntry {
  /// Counts what it says has settled.
  fileprivate func count(_ steps: inout Int, _ items: inout Int) throws(FlowError) {
    switch self {
    case .settled(let settlement):
      if case .failed(_, .some) = settlement.result { return }
      switch settlement.work.kind {
      case .step, .leave, .collect: steps += 1
      case .item: items += 1
      default: break
      }
    case .runs(let runs):
      for run in runs {
        let (sum, isTooLarge) = (run.first.item == nil ? steps : items).addingReportingOverflow(run.count)
        if isTooLarge { throw .unreadableEntry }
        if run.first.item == nil { steps = sum } else { items = sum }
      }
    case .begun, .decided, .ended, .waits, .rests, .begins, .left: break
    }
  }
}
