import Foundation
import OperationFlow

/// The decisions about a waiting run while its mailbox can't be read: to look again, ever later, and to leave the run
/// at last.
///
/// No signal is lost in the meantime, because a time that is over counts only after the mailbox was read.
struct MailboxTrouble: Sendable {
  enum Answer: Sendable {
    /// The mailbox is looked at again later; the run warns the first time.
    case waits(isFirst: Bool)
    case leaves
  }

  /// The number of failures after which the run is left: half a minute, with the times of ``delay``.
  static let limit = 12

  private(set) var failureCount = 0
  /// The date of the next look, by the run's clock.
  private var nextLook = Date.distantPast

  /// Returns true if the mailbox is to be looked at again.
  func isDue(at now: Date) -> Bool { now >= nextLook }

  /// Records that the mailbox could not be read.
  mutating func addFailure(_ error: any Error, at now: Date) -> Answer {
    // Damage doesn't pass.
    if (error as? FlowError)?.code == .unreadableJournal { return .leaves }
    // A message from this process causes an extra look, whose failure doesn't show how long the trouble lasts.
    guard isDue(at: now) else { return .waits(isFirst: false) }
    failureCount += 1
    nextLook = now + delay
    return failureCount < Self.limit ? .waits(isFirst: failureCount == 1) : .leaves
  }

  /// Records that the mailbox could be read.
  mutating func end() { self = MailboxTrouble() }

  /// The time to the next look: a quarter of a second, twice as long after each failure, and at most four seconds.
  private var delay: TimeInterval { 0.25 * Double(1 << min(failureCount - 1, 4)) }
}
