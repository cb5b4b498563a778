import Foundation
import OperationFlow

/// A supervisor's dealings with its store: when it looks at it, what it has heard, and what it still has to write.
struct StoreContact: Sendable {
  /// How long a run may go unnoticed that another process has begun and left.
  static let period: TimeInterval = 60

  /// Why the store couldn't be read or written.
  struct Trouble: Sendable {
    let error: FlowError
    let failureCount: Int
    let nextLook: Date
  }

  /// True if all runs have been looked at.
  private(set) var isLookedAt = false
  private(set) var trouble: Trouble?
  /// The number of the bell's last entry that was read; `nil` before it was read first.
  var lastRing: Int?
  /// How often the bell was looked at.
  private(set) var rounds = 0
  private(set) var unreadable: [FlowUnfinishedRun] = []
  private var nextLook = Date.distantPast
  /// What its own journal is yet to have.
  private var unwritten: [SupervisorBook.Entry] = []
  /// What its own journal says of starts, since a supervisor has lasted.
  private(set) var marks: [SupervisorBook.Entry] = []

  /// Begins with what the supervisors before have left.
  mutating func begin(_ contents: SupervisorBook.Contents) {
    marks = Array(repeating: .starts, count: contents.startCount)
    for (id, count) in contents.tries { marks += Array(repeating: .tries(id), count: count) }
  }

  // MARK: Reading

  /// True if the store may be used, which it isn't for a while after it couldn't be.
  func isUsable(at now: Date) -> Bool { trouble.map { RetryDelay.hasCome($0.nextLook, at: now) } ?? true }

  /// True if all runs are to be looked at.
  func isDue(at now: Date) -> Bool { RetryDelay.hasCome(nextLook, at: now) }

  mutating func endLook(_ unreadable: [FlowUnfinishedRun], at now: Date) {
    self.unreadable = unreadable
    (isLookedAt, nextLook) = (true, now.addingTimeInterval(Self.period))
  }

  mutating func noteRound() { rounds += 1 }

  /// Everything could be read and written.
  mutating func noteSuccess() { trouble = nil }

  mutating func note(_ error: FlowError, at now: Date) {
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

  /// True if it is yet to have that a run is tried.
  var hasUnwrittenTrial: Bool { unwritten.contains { if case .tries = $0 { true } else { false } } }

  mutating func takeUnwritten() -> [SupervisorBook.Entry] {
    defer { unwritten = [] }
    return unwritten
  }

  /// Takes back what could not be written.
  mutating func putBack(_ entries: [SupervisorBook.Entry]) { unwritten = entries + unwritten }
}
