import Dispatch
import Foundation
import OperationFlow

/// Looks at the mailboxes of the process's runs that wait for signals, which other processes may send.
///
/// One timer on one thread does it for all of them, and none if no run waits.
final class MailboxWatch: Sendable {
  static let shared = MailboxWatch()
  /// How long a signal of another process may go unnoticed.
  static let period = DispatchTimeInterval.milliseconds(250)

  private struct Room: Sendable { weak var room: WaitingRoom? }

  /// A timer of the queue, which may be cancelled from any thread.
  // Invariant: it is set up before it is shared, and only cancelled afterwards.
  private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

  private struct State: Sendable {
    /// The rooms of durable runs that are under way, by the identifiers of the runs.
    var rooms: [String: [Room]] = [:]
    /// Those whose mailboxes are looked at.
    var listening: [ObjectIdentifier: Room] = [:]
    var timer: Timer?
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "OperationFlow.MailboxWatch")

  /// Lets a room be told at once of what is sent in this process.
  func add(_ room: WaitingRoom, of run: String) {
    state.withLock { state in
      state.rooms[run, default: []].removeAll { $0.room == nil }
      state.rooms[run, default: []].append(Room(room: room))
    }
  }

  /// Forgets a room whose run has ended.
  func remove(_ room: WaitingRoom, of run: String) {
    state.withLock { state in
      state.rooms[run]?.removeAll { $0.room == nil || $0.room === room }
      if state.rooms[run]?.isEmpty == true { state.rooms[run] = nil }
      state.listening[ObjectIdentifier(room)] = nil
    }
  }

  /// Whether it keeps a room of a run.
  func knows(_ run: String) -> Bool { state.withLock { $0.rooms[run] != nil } }

  /// Tells the rooms of a run in this process that something was sent; called where a thread may wait for files.
  func tell(_ run: String) {
    let rooms = state.withLock { $0.rooms[run]?.compactMap(\.room) ?? [] }
    for room in rooms { room.readMailbox() }
  }

  /// Looks at the mailbox of a room from now on, until it waits for no signal.
  func listen(for room: WaitingRoom) {
    let isFirst = state.withLock { state in
      state.listening[ObjectIdentifier(room)] = Room(room: room)
      return state.timer == nil
    }
    if isFirst { startTimer() }
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
    let (rooms, idle) = state.withLock { state -> ([WaitingRoom], Timer?) in
      let rooms = state.listening.values.compactMap(\.room).filter(\.isListening)
      state.listening = Dictionary(uniqueKeysWithValues: rooms.map { (ObjectIdentifier($0), Room(room: $0)) })
      guard rooms.isEmpty else { return (rooms, nil) }
      defer { state.timer = nil }
      return ([], state.timer)
    }
    idle?.source.cancel()
    for room in rooms { room.lookAtMailbox() }
  }
}
