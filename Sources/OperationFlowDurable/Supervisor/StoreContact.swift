import Foundation
import OperationFlow

/// The state of a supervisor's store: the date of the next look, the entries that were read, and those to be written.
struct StoreContact: Sendable {
  /// The longest time for which a run that another process has left may go unnoticed.
  static let period: TimeInterval = 60

  /// The reason why the store couldn't be read or written.
  struct Trouble: Sendable {
    let error: FlowError
    let failureCount: Int
    let nextLook: Date
  }

  /// True if all runs have been looked at since the supervisor began.
  private(set) var isLookedAt = false
  private(set) var trouble: Trouble?
  /// The number of the bell's last entry that was read; `nil` before the bell is first read.
  var lastRing: Int?
  /// The number of looks at the store.
  private(set) var rounds = 0
  private(set) var unreadable: [FlowUnfinishedRun] = []
  private var nextLook = Date.distantPast
  /// The entries that are still to be written to the supervisor's journal.
  private var unwritten: [SupervisorBook.Entry] = []
  /// The entries about starts and trials in the supervisor's journal, since a supervisor has lasted.
  private(set) var marks: [SupervisorBook.Entry] = []

  /// Begins with the starts and trials of earlier supervisors.
  mutating func begin(_ contents: SupervisorBook.Contents) {
    marks = Array(repeating: .starts, count: contents.startCount)
    for (id, count) in contents.tries { marks += Array(repeating: .tries(id), count: count) }
  }

  // MARK: Reading

  /// Returns true if the store may be used; it isn't used for a while after it has failed.
  func isUsable(at now: Date) -> Bool { trouble.map { RetryDelay.hasCome($0.nextLook, at: now) } ?? true }

  /// Returns true if a look at all runs is due.
  func isDue(at now: Date) -> Bool { RetryDelay.hasCome(nextLook, at: now) }

  mutating func endLook(_ unreadable: [FlowUnfinishedRun], at now: Date) {
    self.unreadable = unreadable
    (isLookedAt, nextLook) = (true, now.addingTimeInterval(Self.period))
  }

  mutating func countRound() { rounds += 1 }

  /// Records that everything could be read and written.
  mutating func endTrouble() { trouble = nil }

  mutating func addFailure(_ error: FlowError, at now: Date) {
    let count = (trouble?.failureCount ?? 0) + 1
    trouble = Trouble(
      error: error, failureCount: count, nextLook: now.addingTimeInterval(RetryDelay.after(count)))
  }

  // MARK: Writing

  mutating func write(_ entry: SupervisorBook.Entry) {
    unwritten.append(entry)
    switch entry {
    case .told: break
    case .starts, .tries: marks.append(entry)
    case .lasts: marks = []
    }
  }

  /// True if the entry about a trial is still to be written.
  var hasUnwrittenTrial: Bool { unwritten.contains { if case .tries = $0 { true } else { false } } }

  mutating func takeUnwritten() -> [SupervisorBook.Entry] {
    defer { unwritten = [] }
    return unwritten
  }

  /// Adds entries that could not be written, before all others.
  mutating func putBack(_ entries: [SupervisorBook.Entry]) { unwritten = entries + unwritten }
}
