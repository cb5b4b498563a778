import Foundation

/// A log of the requests for each file that a soak's receiver has seen, and of its faults.
final class FaultLog: @unchecked Sendable {
  /// The requests for one file.
  struct Entry: Sendable {
    var requestCount = 0
    var faults: [SoakFault] = []
    /// When the client may come again, if the last answer said so.
    var comesBackAt: Date?
    /// The number of waits of a second or more that were asked for, and of requests that came too early.
    var waitCount = 0
    var earlyCount = 0
  }

  // Invariant of the unchecked conformance: `entries` is used under `lock` only.
  private let lock = NSLock()
  private var entries: [String: Entry] = [:]

  /// The files that were sent at least once, by name.
  var all: [String: Entry] { lock.withLock { entries } }

  /// Counts a request for a file; returns its number, from 1.
  func beginRequest(for file: String) -> Int {
    let now = Date()
    return lock.withLock {
      entries[file, default: Entry()].noteRequest(at: now)
    }
  }

  func note(_ fault: SoakFault, of file: String) {
    lock.withLock { entries[file, default: Entry()].faults.append(fault) }
  }

  /// Notes that the client is asked to come again at a time, and not before.
  func noteWait(until date: Date, of file: String) {
    lock.withLock {
      entries[file, default: Entry()].waitCount += 1
      entries[file, default: Entry()].comesBackAt = date
    }
  }
}

extension FaultLog.Entry {
  fileprivate mutating func noteRequest(at now: Date) -> Int {
    // The clocks of the two sides are one, except for the steps in which they are set.
    if let date = comesBackAt, now < date.addingTimeInterval(-0.01) { earlyCount += 1 }
    comesBackAt = nil
    requestCount += 1
    return requestCount
  }
}
