import Foundation
import OperationFlow
import OperationFlowStorage

/// A place for the journals of durable runs, which resume from them after a crash.
///
/// ``FileFlowStore`` stores each journal in a file. ``MemoryFlowStore`` stores all of them in memory, for tests. A
/// store of your own, such as one over a database, passes `expectConformance()` of `OperationFlowTesting`.
///
/// The methods are called from any thread, and return soon: they wait for a file or a transaction, not for other runs.
/// Errors should be `FlowError`s with the codes that the methods name; other errors are passed on.
public protocol FlowStore: Sendable {
  /// Opens the journal of a run for writing, and creates it if there is none.
  ///
  /// The journal is locked until it is closed, or until the process ends in any way. A journal that a process left
  /// without closing it can be opened.
  ///
  /// - Parameter id: The identifier of the run: any text that isn't empty; a run refuses an empty one itself.
  /// - Returns: The journal, with the entries that it contains.
  /// - Throws: `FlowError` with the code `runInUse` if another call or another process has the journal open, with that
  ///   process and since when; `unreadableJournal` if the journal is damaged; `storeFailed` if the place can't be used.
  func openJournal(of id: String) throws -> FlowOpenJournal

  /// Returns the entries of a journal without opening it, also while another process writes it.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The entries in their order, without one that is not completely written; `nil` if there is no journal.
  /// - Throws: `FlowError` with the code `unreadableJournal` if it is damaged; `storeFailed` if it can't be read.
  func readJournal(of id: String) throws -> [Data]?

  /// Returns the identifiers of all runs that have a journal.
  ///
  /// The journals that end in `.signals`, with the signals of runs, may be among them: callers leave them out.
  ///
  /// - Returns: The identifiers, sorted.
  /// - Throws: `FlowError` with the code `storeFailed` if they can't be read.
  func runIDs() throws -> [String]

  /// Returns the runs whose identifiers can't be read from their journals; the default implementation returns none.
  ///
  /// - Returns: The runs, each with its error; ``runIDs()`` leaves them out.
  /// - Throws: `FlowError` with the code `storeFailed` if they can't be read.
  func unreadableRuns() throws -> [FlowUnfinishedRun]

  /// Removes the journal of a run; does nothing if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `runInUse` if the journal is open; `storeFailed` if it can't be removed.
  func removeJournal(of id: String) throws
}
