import Foundation
import OperationFlow

/// Counts the attempts at files, and the ones that should not have been made.
///
/// It counts the events as they arrive, because a record may leave some of them out.
final class SoakTally: @unchecked Sendable {
  // Invariant of the unchecked conformance: the counts and `waits` are used under `lock` only.
  private let lock = NSLock()
  private var attempts = 0
  private var repeatedRefusals = 0
  private var earlyAttempts = 0
  /// The time from which each file may be sent again, by index, if the server asked to wait.
  private var waits: [Int: Date] = [:]

  /// The number of attempts that began.
  var attemptCount: Int { lock.withLock { attempts } }
  /// The number of attempts after an answer that refused the file for good.
  var repeatedRefusalCount: Int { lock.withLock { repeatedRefusals } }

  /// The number of attempts that began before the time that the server had asked for.
  var earlyAttemptCount: Int { lock.withLock { earlyAttempts } }

  func add(_ event: FlowEvent) {
    guard let index = event.source.item else { return }
    switch event.kind {
    case .started:
      lock.withLock {
        attempts += 1
        if let time = waits.removeValue(forKey: index), event.date < time { earlyAttempts += 1 }
      }
    case .finished(.withError(let text)) where event.isRetried:
      let isRefusal = FaultyReceiver.isRefusal(text)
      // The text has whole seconds. A clock that is set between the two events may differ by a few milliseconds.
      let wait = text.firstMatch(of: /asks to wait ([0-9]+) s/).flatMap { Double($0.output.1) } ?? 0
      lock.withLock {
        if isRefusal { repeatedRefusals += 1 }
        if wait > 0 { waits[index] = event.date.addingTimeInterval(wait - 0.01) }
      }
    default:
      break
    }
  }
}
