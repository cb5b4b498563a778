import Foundation
import OperationFlow

/// Reading the store, and writing the supervisor's own journal.
extension FlowSupervisor {
  /// Looks at the bell and, now and then, at all runs; doesn't use the store for a while after it has failed.
  func look(_ book: SupervisorBook) async {
    let now = dates.now.date
    let (isUsable, isDue) = state.withLock { ($0.contact.isUsable(at: now), $0.contact.isDue(at: now)) }
    if isUsable {
      do {
        try await readBell()
        if isDue { try await readAll() }
        try await removeEnded()
        state.withLock { if $0.suspects.haveLasted(at: now) { $0.contact.write(.lasts) } }
        try await write(book)
        state.withLock { $0.contact.endTrouble() }
      } catch {
        state.withLock { $0.contact.addFailure(.storeError(error), at: now) }
      }
    }
    state.withLock { $0.contact.countRound() }
  }

  /// Makes the runs ready for which the bell has rung.
  private func readBell() async throws {
    let (store, last) = (store, state.withLock { $0.contact.lastRing })
    let heard = try await FileWork.perform { try MailboxBell(store: store).entries(after: last) }
    state.withLock { state in
      state.contact.lastRing = heard.last
      for entry in heard.new { state.makeReady(entry.run) }
      if heard.isGap { state.makeAllReady() }
    }
  }

  /// Looks at all unknown runs; adds the runs that were at work when their processes ended after the others.
  private func readAll() async throws {
    let (store, names, now) = (store, flows.map(\.name), dates.now.date)
    try await FileWork.perform { [self] in
      let ids = try store.runIDs().filter { !Mailbox.isReserved($0) }
      var interrupted: [String: (found: FoundRun, crashCount: Int)] = [:]
      for id in ids where state.withLock({ !$0.knows(id) }) {
        let found = FoundRun(id, in: store, names)
        if case .ready(_, isInterrupted: true) = found {
          interrupted[id] = (found, FoundRun.crashCount(of: id, in: store))
        } else {
          state.withLock { $0.add(found, id, at: now) }
        }
      }
      let unreadable = try store.unreadableRuns()
      state.withLock { state in
        for id in ids {
          if let (found, count) = interrupted[id] { state.add(found, id, crashCount: count, at: now) }
        }
        state.endLook(Set(ids), unreadable, at: now)
      }
    }
  }

  /// Writes the entries that the next supervisor needs.
  private func write(_ book: SupervisorBook) async throws {
    let entries = state.withLock { $0.contact.takeUnwritten() }
    do { try await book.append(entries) } catch {
      state.withLock { $0.contact.putBack(entries) }
      throw error
    }
    let (count, marks) = state.withLock { ($0.notices.count, $0.contact.marks) }
    guard book.isLong(for: count) else { return }
    try await book.replace(told: state.withLock { $0.notices.all }, rest: marks)
  }

  /// Suspends the runs that only wait, and begins the runs that are due or for which the bell has rung.
  func wake(_ book: SupervisorBook, _ alarm: SupervisorAlarm) async {
    // The task may have been cancelled while the store was read.
    if Task.isCancelled { return }
    let now = dates.now.date
    let running = state.withLock { state in state.running.compactMapValues { $0.run } }
    for (id, run) in running {
      let parting = run.suspend(before: now)
      state.withLock { $0.running[id]?.isKept = parting == .isKept }
    }
    let (ids, next, isTrial) = state.withLock { state in
      (state.takeReady(at: now), state.firstDue, state.contact.hasUnwrittenTrial)
    }
    // The next supervisor needs this entry, even if the process ends.
    if isTrial {
      do { try await write(book) } catch { state.withLock { $0.contact.addFailure(.storeError(error), at: now) } }
    }
    for id in ids { Task { [self] in await resume(id) } }
    alarm.set(next.map { dates.rest(until: $0.timeIntervalSince(now)) })
  }

  /// Writes the remaining entries, when nothing is under way any more.
  func close(_ book: SupervisorBook) async {
    state.withLock { $0.contact.write(.lasts) }
    // If the write fails, ends are reported again.
    try? await write(book)
  }
}
