import Foundation

/// A log of the requests for each file, and of the faults that they met.
final class FaultLog: @unchecked Sendable {
  /// The requests for one file.
  struct Entry: Sendable {
    var requestCount = 0
    var faults: [SoakFault] = []
    /// The time from which the client may send the file again, if the last answer asked it to wait.
    var comesBackAt: Date?
    /// The number of answers that asked for a wait of a second or more, and of requests that arrived too early.
    var waitCount = 0
    var earlyCount = 0
  }

  // Invariant of the unchecked conformance: `entries` is used under `lock` only.
  private let lock = NSLock()
  private var entries: [String: Entry] = [:]

  /// The files that were sent at least once, by name.
  var all: [String: Entry] { lock.withLock { entries } }

  /// Counts a request for a file, and returns its number, from 1.
  func beginRequest(for file: String) -> Int {
    let now = Date()
    return lock.withLock {
      entries[file, default: Entry()].countRequest(at: now)
    }
  }

  func add(_ fault: SoakFault, of file: String) {
    lock.withLock { entries[file, default: Entry()].faults.append(fault) }
  }

  /// Records that the client was asked to wait until a date.
  func addWait(until date: Date, of file: String) {
    lock.withLock {
      entries[file, default: Entry()].waitCount += 1
      entries[file, default: Entry()].comesBackAt = date
    }
  }
}

extension FaultLog.Entry {
  fileprivate mutating func countRequest(at now: Date) -> Int {
    // Both sides use one clock, but it may be set by a few milliseconds.
    if let date = comesBackAt, now < date.addingTimeInterval(-0.01) { earlyCount += 1 }
    comesBackAt = nil
    requestCount += 1
    return requestCount
  }
}
