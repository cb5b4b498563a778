import Foundation
import OperationFlow

/// The schedule by which a supervisor removes the runs that ended long ago.
struct EndedRunRemoval: Sendable {
  private let time: TimeInterval?
  private var nextLook = Date.distantPast
  /// The error of a run that couldn't be removed, with the date of the next attempt.
  private(set) var trouble: StoreContact.Trouble?

  init(_ retention: FlowRetention) { time = retention.time.map { $0 / .seconds(1) } }

  /// The time between two looks at the ended runs of a store, which may be many: a part of their retention.
  private var period: TimeInterval { min(3_600, max(60, (time ?? 0) / 16)) }

  /// Begins a removal, and returns the date before which the runs to be removed ended; `nil` if no removal is due.
  mutating func begin(at now: Date) -> Date? {
    // The clock may have been set back.
    guard let time, nextLook <= now || nextLook.timeIntervalSince(now) > period else { return nil }
    nextLook = now.addingTimeInterval(period)
    return now.addingTimeInterval(-time)
  }

  mutating func end(_ error: FlowError?) {
    trouble = error.map { error in
      StoreContact.Trouble(error: error, failureCount: (trouble?.failureCount ?? 0) + 1, nextLook: nextLook)
    }
  }
}

extension FlowSupervisor {
  /// Removes the runs of its flows that ended long enough ago, and whose ends were reported.
  func removeEnded() async throws {
    guard let last = state.withLock({ [now = dates.now.date] in $0.removal.begin(at: now) }) else { return }
    let (store, names) = (store, Set(flows.map(\.name)))
    let removed = try await FileWork.perform { [self] in
      try store.removeRuns(endedBefore: last) { run in
        names.contains(run.flowName) && state.withLock { $0.mayRemove(run.id, begun: run.began) }
      }
    }
    state.withLock { $0.removal.end(removed.failure) }
  }
}
