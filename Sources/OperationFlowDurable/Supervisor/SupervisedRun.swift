import Foundation
import OperationFlow

/// A run that a supervisor carries.
final class SupervisedRun: Sendable {
  let run: FlowRun
  let journal: RunJournal
  let room: WaitingRoom?
  private let rested = Locked<JournalRest?>(nil)

  init(_ run: FlowRun, _ journal: RunJournal) {
    (self.run, self.journal, room) = (run, journal, run.engine?.waits as? WaitingRoom)
  }

  /// Where it was put away; `nil` if it was at work.
  var rest: JournalRest? { rested.withLock { $0 } }

  /// Puts it away in any case; what is still being restored, as soon as it goes on.
  func stop() {
    Task {
      while !putAway(before: nil), run.currentOutcome == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// Puts it away if it does nothing but wait, for at least a second from a date; in any case if there is no date.
  func putAway(before date: Date?) -> Bool {
    guard let engine = run.engine else { return false }
    guard let date else {
      return engine.putAway(.putAway, inAnyCase: true) { count in
        // A run in which anything else is to come, such as another attempt after a delay, is at work.
        let rest = count.flatMap { room?.rest(of: $0) }
        journal.putAway(with: rest.map { .rests($0) })
        rested.withLock { $0 = rest }
        return true
      }
    }
    guard let room, room.firstDue.map({ $0.timeIntervalSince(date) >= 1 }) ?? true else { return false }
    return engine.putAway(.putAway) { count in
      // What a run does that goes on without its journal is known nowhere else.
      guard let rest = count.flatMap(room.rest), !journal.isOver else { return false }
      journal.putAway(with: .rests(rest))
      rested.withLock { $0 = rest }
      return true
    }
  }
}

/// What a supervisor finds in a store about a run that it doesn't know.
enum FoundRun: Sendable {
  /// It has ended, or has not begun, or another process has it.
  case nothing
  case ready(flow: Int)
  case rests(flow: Int, JournalRest)
  case left(FlowUnfinishedRun)

  init(_ id: String, in store: any FlowStore, _ flows: [String]) {
    do {
      guard let entries = try store.readJournal(of: id), let first = entries.first, let last = entries.last else {
        self = .nothing
        return
      }
      guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
      if entries.count > 1, JournalEntry.isEnding(last) {
        self = .nothing
      } else if let flow = flows.firstIndex(of: beginning.flowName) {
        self = .ready(flow: flow)
        guard case .rests(let rest) = try JournalEntry(last) else { return }
        let count = try store.readJournal(of: Mailbox.id(of: id))?.count ?? 0
        if count <= rest.messageCount { self = .rests(flow: flow, rest) }
      } else {
        self = .left(
          FlowUnfinishedRun(
            id: id, flowName: beginning.flowName, since: beginning.date, settledStepCount: 0, settledItemCount: 0,
            error: .unknownFlow(beginning.flowName, of: id)))
      }
    } catch {
      self = .left(FlowUnfinishedRun(unreadable: id, .storeError(error)))
    }
  }
}

/// Wakes a supervisor when the first of its runs is due.
final class SupervisorAlarm: Sendable {
  private let clock: any Clock<Duration>
  private let ring: @Sendable () -> Void
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ clock: any Clock<Duration>, ring: @escaping @Sendable () -> Void) { (self.clock, self.ring) = (clock, ring) }

  /// Rings once after a time, in place of what was set before; `nil` for never.
  func set(_ time: Duration?) {
    let new = time.map { time in
      Task { [clock, ring] in
        guard (try? await clock.sleep(for: max(.zero, time))) != nil else { return }
        ring()
      }
    }
    let old = task.withLock { task in
      defer { task = new }
      return task
    }
    old?.cancel()
  }

  func cancel() { set(nil) }
}
