import Foundation
import OperationFlow

/// Decides what becomes of a run that waits while its mailbox can't be read: it looks again, ever later, and is left to be
/// resumed in the end.
///
/// Nothing that is passed over in the meantime is lost, because a time that is over counts only once the mailbox was read.
struct MailboxTrouble: Sendable {
  enum Answer: Sendable {
    /// To look again later; the first time, the run warns.
    case waits(isFirst: Bool)
    case leaves
  }

  /// How often it looks: for half a minute, with the delays of ``delay``.
  static let limit = 12

  private(set) var failureCount = 0
  /// When to look again, by the run's clock.
  private var nextLook = Date.distantPast

  /// True if it is time to look.
  func isDue(at now: Date) -> Bool { now >= nextLook }

  /// Notes that the mailbox could not be read.
  mutating func note(_ error: any Error, at now: Date) -> Answer {
    // Damage doesn't pass.
    if (error as? FlowError)?.code == .unreadableJournal { return .leaves }
    // A sender in this process lets it be read at once, which says nothing about how long the trouble lasts.
    guard isDue(at: now) else { return .waits(isFirst: false) }
    failureCount += 1
    nextLook = now + delay
    return failureCount < Self.limit ? .waits(isFirst: failureCount == 1) : .leaves
  }

  /// Notes that it could be read.
  mutating func end() { self = MailboxTrouble() }

  /// A quarter of a second, twice as long after each failure, and at most four seconds.
  private var delay: TimeInterval { 0.25 * Double(1 << min(failureCount - 1, 4)) }
}
