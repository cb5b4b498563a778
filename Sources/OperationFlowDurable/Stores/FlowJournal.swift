import Foundation
import OperationFlow
import OperationFlowStorage

/// The journal of one durable run, open for one writer: a list to which entries are appended.
///
/// After a crash, the journal has an entry completely or not at all. If it has an entry, it has all entries before it.
/// The contents of an entry are any bytes; the store doesn't look at them.
///
/// The methods may be called from any thread. ``append(_:)`` has one caller at a time; the others may be called while
/// it works, and at the same time as each other.
public protocol FlowJournal: AnyObject, Sendable {
  /// Appends an entry after all others.
  ///
  /// When it returns, the entry survives the end of the process, but not yet a power failure. If it throws, the entry
  /// is not in the journal.
  ///
  /// - Parameter entry: The contents, of any length.
  /// - Throws: `FlowError` with the code `storeFailed` if it can't be written, or if the journal is closed.
  func append(_ entry: Data) throws

  /// Returns when all entries that were appended before the call survive a power failure.
  ///
  /// Several tasks may call it at once, and share the work. It blocks no thread of the caller, and isn't cancelled with
  /// its task.
  ///
  /// - Throws: `FlowError` with the code `storeFailed` if that can't be ensured. It then can't be ensured later either:
  ///   all further calls throw, and so does ``append(_:)``.
  func synchronize() async throws

  /// Replaces the first entries by others, to make the journal shorter, and returns when that survives a power failure.
  ///
  /// A crash leaves the old entries or the new ones. The entries after the first `count` stay, also those that are
  /// appended during the call. So an entry isn't lost if it is appended after a run has read the entries to replace.
  ///
  /// - Parameters:
  ///   - count: The number of entries to replace, at most the number of all entries. Calls follow one another.
  ///   - entries: The new entries, which replace the first ones.
  /// - Throws: `FlowError` with the code `storeFailed` if they can't be written; the old entries are then still there.
  func replaceEntries(first count: Int, with entries: [Data]) async throws

  /// Closes the journal, so that it can be opened again; its entries stay.
  ///
  /// Calls in progress are finished. A second call does nothing. A journal that is freed closes itself.
  func close()
}

/// An open journal, with the entries that it had.
public struct FlowOpenJournal: Sendable {
  /// The journal, which stays open until it is closed or freed, or until the process ends.
  public let journal: any FlowJournal
  /// The entries that the journal had, in their order; the journal itself should not retain them in memory.
  public let entries: [Data]
  /// The repair of the journal, in a sentence, such as an entry that was cut off because a crash interrupted it;
  /// normally `nil`.
  public let repair: String?

  /// Creates the result of opening a journal.
  ///
  /// - Parameters:
  ///   - journal: The journal.
  ///   - entries: The entries that it has.
  ///   - repair: The repair, as a sentence; `nil` if nothing was repaired.
  public init(_ journal: any FlowJournal, entries: [Data], repair: String? = nil) {
    (self.journal, self.entries, self.repair) = (journal, entries, repair)
  }
}
