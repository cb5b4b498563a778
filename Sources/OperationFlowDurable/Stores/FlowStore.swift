import Foundation
import OperationFlow
import OperationFlowStorage

/// A place that keeps the journals of durable runs, from which they resume after a crash.
///
/// ``FileFlowStore`` keeps each journal as a file, ``MemoryFlowStore`` keeps all of them in memory for tests. A store of
/// your own, such as one over a database, passes `expectConformance()` of `OperationFlowTesting`.
///
/// Its methods are called from any thread, and return soon: they wait for a file or a transaction, not for other runs.
/// Errors should be `FlowError`s with the codes that the methods name; other errors are passed on.
public protocol FlowStore: Sendable {
  /// Opens the journal of a run for writing, and creates it if there is none.
  ///
  /// The journal is held until it is closed, or until the process ends, however it ends. A journal that a process has
  /// left without closing it can be opened.
  ///
  /// - Parameter id: The identifier of the run: any text that isn't empty; a run refuses an empty one itself.
  /// - Returns: The journal, with the entries that were there.
  /// - Throws: `FlowError` with the code `runInUse` if another call or another process holds the journal, with who that
  ///   is and since when; `unreadableJournal` if it is damaged; `storeFailed` if the place can't be used.
  func openJournal(of id: String) throws -> FlowOpenJournal

  /// Returns the entries of a journal without holding it, also while another process writes it.
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

  /// Returns the runs whose journals don't even tell their identifiers; without a method of the store's own, there are none.
  ///
  /// - Returns: The runs, each with its error; ``runIDs()`` doesn't have them.
  /// - Throws: `FlowError` with the code `storeFailed` if they can't be read.
  func unreadableRuns() throws -> [FlowUnfinishedRun]

  /// Removes the journal of a run; does nothing if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `runInUse` if it is held; `storeFailed` if it can't be removed.
  func removeJournal(of id: String) throws
}
