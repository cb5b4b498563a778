import Foundation
import OperationFlow
import OperationFlowStorage

extension RunJournal {
  /// What it has taken, and how far that is on the disk.
  struct State: Sendable {
    /// The entries that are to be appended.
    var pending: [JournalEntry] = []
    var isAppending = false
    /// How many entries have been taken, and how many of them are appended and synchronized.
    var (takenCount, appendedCount, synchronizedCount) = (0, 0, 0)
    var isSynchronizing = false
    /// Whether the journal is at it, not only a task that will ask it to.
    var isAtDisk = false
    /// What waits before the next synchronization.
    var synchronizer: Task<Void, Never>?
    /// Whether the last entry is being written, which is synchronized by itself.
    var isEnding = false
    /// What waits until the journal is at rest.
    var whenIdle: [@Sendable () -> Void] = []
    /// What waits until this many entries are synchronized.
    var parked: [(resume: @Sendable () -> Void, count: Int)] = []
    /// What is called when everything is appended, or can't be.
    var whenAppended: [@Sendable () -> Void] = []
    var flowName = ""
    /// Counts what is appended; `nil` if the journal is one of an earlier version, whose entries have no totals.
    var counter: JournalCounter?
    /// Whether an attempt has begun since the journal was opened.
    var hasBegun = false
    /// The last entry about an attempt that begins, if one was appended since the journal was opened, and no end follows it.
    var lastBegin: Data?
    /// The rest that is the last entry of the journal; `nil` if that is another entry.
    var rest: JournalRest?
    /// Whether the run goes on later, so that nothing more is taken.
    var isPutAway = false
    /// Why the run is left to be resumed, if something that it needs can't be read; nothing more is taken then.
    var left: Failure?
    /// Whether nothing more is written: it could not be, or the run is over.
    var isOver = false
    /// Whether the run is being told of a failure, which decides its end: nothing may begin until then.
    var isReportingFailure = false
    /// Why something could not be written.
    var failure: Failure?
    /// How large the journal is, and how large it was after its last checkpoint.
    var (size, checkpointSize) = (0, 0)
    /// Whether a checkpoint is being made; entries are appended all the same.
    var isReplacing = false

    /// True if it takes entries.
    var isTaking: Bool { !isOver && !isPutAway && left == nil }

    /// Counts an entry that is appended next; returns the totals that it ends in.
    mutating func count(_ entry: JournalEntry) -> JournalTotals? {
      if case .ended = entry { return nil }
      try? counter?.note(entry)
      return counter?.totals
    }

    /// Notes an entry that was appended.
    mutating func note(_ entry: JournalEntry, _ data: Data) {
      switch entry {
      case .begins: lastBegin = data
      case .left, .rests, .ended: lastBegin = nil
      case .begun, .settled, .runs, .decided, .waits: break
      }
    }

    /// Takes what waits until nothing is at work in the journal.
    mutating func takeIdleWaiters() -> [@Sendable () -> Void] {
      guard !isAppending, !isAtDisk, !isReplacing else { return [] }
      defer { whenIdle = [] }
      return whenIdle
    }
  }
}
