import Dispatch
import Foundation
import OperationFlow

/// Looks at the mailboxes of the process's durable runs, in which other processes leave signals and cancellations.
///
/// One timer on one thread serves all runs; there is no timer if there is no run.
final class MailboxWatch: Sendable {
  static let shared = MailboxWatch()
  /// The time between two looks at the mailboxes of runs that wait for signals.
  static let period = DispatchTimeInterval.milliseconds(250)
  /// The number of periods between two looks at the mailbox of a run that waits for no signal, and can only be
  /// cancelled.
  private static let restingPeriods = 3

  private struct Room: Sendable { weak var room: WaitingRoom? }

  /// A timer of the queue, which may be cancelled from any thread.
  // Invariant: it is set up before it is shared, and only cancelled afterwards.
  private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

  private struct State: Sendable {
    /// The rooms of durable runs that are under way, by the identifiers of the runs.
    var rooms: [String: [Room]] = [:]
    var timer: Timer?
    /// The number of times that the timer has fired.
    var lookCount = 0
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "OperationFlow.MailboxWatch")

  /// Adds a room, which is notified at once of messages from this process, and soon of messages from others.
  func add(_ room: WaitingRoom, of run: String) {
    let isFirst = state.withLock { state in
      state.rooms[run, default: []].removeAll { $0.room == nil }
      state.rooms[run, default: []].append(Room(room: room))
      return state.timer == nil
    }
    if isFirst { startTimer() }
  }

  /// Removes a room whose run has ended.
  func remove(_ room: WaitingRoom, of run: String) {
    state.withLock { state in
      state.rooms[run]?.removeAll { $0.room == nil || $0.room === room }
      if state.rooms[run]?.isEmpty == true { state.rooms[run] = nil }
    }
  }

  /// Returns true if a room of the run was added.
  func knows(_ run: String) -> Bool { state.withLock { $0.rooms[run] != nil } }

  /// Notifies the rooms of a run in this process of a message; call it on a thread that may wait for files.
  func tell(_ run: String) {
    let rooms = state.withLock { $0.rooms[run]?.compactMap(\.room) ?? [] }
    for room in rooms { room.readMailbox() }
  }

  private func startTimer() {
    let made = Timer(source: DispatchSource.makeTimerSource(queue: queue))
    made.source.setEventHandler { [weak self] in self?.look() }
    made.source.schedule(deadline: .now() + Self.period, repeating: Self.period, leeway: .milliseconds(50))
    made.source.resume()
    let isKept = state.withLock { state in
      guard state.timer == nil else { return false }
      state.timer = made
      return true
    }
    if !isKept { made.source.cancel() }
  }

  private func look() {
    let (rooms, isForAll, idle) = state.withLock { state -> ([WaitingRoom], Bool, Timer?) in
      state.lookCount += 1
      let rooms = state.rooms.values.flatMap { $0.compactMap(\.room) }
      guard rooms.isEmpty else { return (rooms, state.lookCount % Self.restingPeriods == 0, nil) }
      defer { state.timer = nil }
      return ([], false, state.timer)
    }
    idle?.source.cancel()
    for room in rooms where isForAll || room.isListening { room.lookAtMailbox() }
  }
}
