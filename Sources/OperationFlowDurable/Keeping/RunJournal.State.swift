import Foundation
import OperationFlow
import OperationFlowStorage

extension RunJournal {
  /// The entries that the journal has accepted, and how many of them are on the disk.
  struct State: Sendable {
    /// The entries that are to be appended.
    var pending: [JournalEntry] = []
    var isAppending = false
    /// The numbers of accepted, appended and synchronized entries, of those that must survive a power failure.
    var (acceptedCount, appendedCount, synchronizedCount) = (0, 0, 0)
    var isSynchronizing = false
    /// True while the journal synchronizes, but not while the synchronizer only waits to start that.
    var isAtDisk = false
    /// The task that waits, and then synchronizes.
    var synchronizer: Task<Void, Never>?
    /// True once the journal closes: no synchronization and no checkpoint starts then.
    var isEnding = false
    /// The closures to call once nothing is running in the journal.
    var whenIdle: [@Sendable () -> Void] = []
    /// The closures that resume work once this many entries are synchronized.
    var parked: [(resume: @Sendable () -> Void, count: Int)] = []
    /// The closures to call once everything is appended, or can't be.
    var whenAppended: [@Sendable () -> Void] = []
    var flowName = ""
    /// The counter of appended entries; `nil` for a journal of an earlier version, whose entries have no totals.
    var counter: JournalCounter?
    /// True if an attempt has begun since the journal was opened.
    var hasBegun = false
    /// The last beginning of an attempt since the journal was opened, unless the run was left or suspended after it.
    var lastBegin: Data?
    /// The last entry of the journal if the run rests; `nil` if it is another entry.
    var rest: JournalRest?
    /// True if the run is suspended, so that no more entries are accepted.
    var isSuspended = false
    /// The reason why the run is left: it needs something that can't be read.
    ///
    /// No more entries are accepted then.
    var left: Failure?
    /// True if nothing more is written, because writing has failed, or the run is over.
    var isOver = false
    /// True while the run is notified of a failure, which decides its end: no work may begin until then.
    var isReportingFailure = false
    /// The reason why something could not be written.
    var failure: Failure?
    /// The size of the journal in bytes, and its size after the last checkpoint.
    var (size, checkpointSize) = (0, 0)
    /// True while a checkpoint is being made; entries are appended all the same.
    var isReplacing = false

    /// True if the journal accepts entries.
    var isAccepting: Bool { !isOver && !isSuspended && left == nil }

    /// Counts the next entry to append; returns the totals for its end.
    mutating func count(_ entry: JournalEntry) -> JournalTotals? {
      if case .ended = entry { return nil }
      try? counter?.count(entry)
      return counter?.totals
    }

    /// Records an entry that was appended.
    mutating func didAppend(_ entry: JournalEntry, _ data: Data) {
      switch entry {
      case .begins: lastBegin = data
      case .left, .rests, .ended: lastBegin = nil
      case .begun, .settled, .runs, .decided, .waits: break
      }
    }

    /// Removes and returns the closures of `whenIdle` if nothing is running in the journal.
    mutating func takeIdleWaiters() -> [@Sendable () -> Void] {
      guard !isAppending, !isAtDisk, !isReplacing else { return [] }
      defer { whenIdle = [] }
      return whenIdle
    }
  }
}
