import Foundation
import OperationFlow
import OperationFlowStorage

/// The signals that were sent to a run: a journal beside its own, so that every store can keep them.
struct Mailbox: Sendable {
  private static let suffix = ".signals"
  /// The journal in which a sender leaves the names of runs for a supervisor.
  static let bell = suffix
  /// The journal that a supervisor holds.
  static let supervisor = ".supervisor"
  /// How many signals of a run that has not ended there may be.
  static let limit = 10_000
  /// How long a sender waits for others at most.
  private static let patience = 1_000

  /// Whether an identifier is that of a journal which belongs to no run.
  static func isReserved(_ id: String) -> Bool { id.hasSuffix(suffix) || id == supervisor }

  /// The identifier of a run's mailbox.
  static func id(of run: String) -> String { run + suffix }

  let run: String
  let store: any FlowStore
  var id: String { Self.id(of: run) }

  /// An entry: a message, and when the run began that it was sent to, if it had begun.
  struct Entry: Sendable {
    let message: SignalMessage
    let begun: Date?

    init(_ message: SignalMessage, begun: Date?) { (self.message, self.begun) = (message, begun) }

    init(_ data: Data) throws(FlowError) {
      var reader = JournalReader(data)
      begun = try reader.optional { reader throws(FlowError) in try reader.date() }
      message = try SignalMessage(&reader)
      guard reader.isAtEnd else { throw .unreadableEntry }
    }

    var data: Data {
      var writer = JournalWriter()
      writer.optional(begun) { $0.date($1) }
      message.write(to: &writer)
      return writer.data
    }
  }

  /// The entries after some.
  func entries(after count: Int = 0) throws -> [Entry] {
    do {
      return try (store.readJournal(of: id) ?? []).dropFirst(count).map { try Entry($0) }
    } catch let error as FlowError where error.code == .unreadableJournal {
      throw FlowError.damagedMailbox(run, error)
    }
  }

  /// Appends a message; it is on the disk when this returns.
  ///
  /// One that is there already does no harm: the run takes it once.
  func append(_ entry: Entry) async throws {
    try await Self.change(id, in: store) { open in
      guard open.entries.count < Self.limit else { throw FlowError.fullMailbox(run, Self.limit) }
      try open.journal.append(entry.data)
      return true
    }
  }

  /// Removes all messages, when the run has ended; what a sender holds at that moment stays, and no other run gets it.
  func remove() { try? store.removeJournal(of: id) }

  /// Does the same for a run that is found to have ended.
  func removeIfThere() { if (try? store.readJournal(of: id)) != nil { remove() } }

  /// Opens a journal that others hold for moments only, and synchronizes what is changed.
  fileprivate static func change(
    _ id: String, in store: any FlowStore, _ body: @escaping @Sendable (FlowOpenJournal) throws -> Bool
  ) async throws {
    var attempts = 0
    while true {
      do {
        let (journal, isChanged) = try await FileWork.perform {
          let open = try store.openJournal(of: id)
          do { return (open.journal, try body(open)) } catch {
            open.journal.close()
            throw error
          }
        }
        defer { journal.close() }
        if isChanged { try await journal.synchronize() }
        return
      } catch let error as FlowError where error.code == .runInUse && attempts < patience {
        attempts += 1
        try await Task.sleep(for: .milliseconds(min(10, attempts)))
      }
    }
  }
}

/// What tells a supervisor that a run has been sent something, whichever process has sent it.
struct MailboxBell: Sendable {
  /// How many entries are kept at least; a supervisor that has missed some looks at all mailboxes.
  private static let keptCount = 1_024

  let store: any FlowStore

  struct Entry: Sendable {
    let number: Int
    let run: String

    init(number: Int, run: String) { (self.number, self.run) = (number, run) }

    init(_ data: Data) throws(FlowError) {
      var reader = JournalReader(data)
      (number, run) = (try reader.ordinal(), try reader.text())
    }

    var data: Data {
      var writer = JournalWriter()
      writer.number(number)
      writer.text(run)
      return writer.data
    }
  }

  /// Rings for a run, if the store has ever had a supervisor.
  func ring(for run: String) async throws {
    let store = store
    guard try await FileWork.perform({ try store.readJournal(of: Mailbox.supervisor) }) != nil else { return }
    do {
      try await append(run)
    } catch let error as FlowError where error.code == .unreadableJournal {
      // It has nothing but hints: whoever reads it finds that it has begun anew, and looks at all mailboxes.
      try? await FileWork.perform { try store.removeJournal(of: Mailbox.bell) }
      try await append(run)
    }
  }

  private func append(_ run: String) async throws {
    let isLong = Locked(false)
    try await Mailbox.change(Mailbox.bell, in: store) { open in
      // A bell that is made anew counts on from anywhere, so that its entries aren't taken for those before.
      let last = try open.entries.last.map { try Entry($0).number } ?? Int.random(in: 1...1 << 60)
      try open.journal.append(Entry(number: last + 1, run: run).data)
      isLong.withLock { $0 = open.entries.count >= 2 * Self.keptCount }
      return false
    }
    if isLong.withLock({ $0 }) { try await shorten() }
  }

  private func shorten() async throws {
    let store = store
    let open: FlowOpenJournal
    do { open = try await FileWork.perform { try store.openJournal(of: Mailbox.bell) } } catch { return }
    defer { open.journal.close() }
    let count = open.entries.count - Self.keptCount
    if count > 0 { try await open.journal.replaceEntries(first: count, with: []) }
  }

  /// What a supervisor has heard since it read the bell last.
  struct Heard: Sendable {
    var new: [Entry] = []
    /// The number of the last entry; zero if there is none.
    var last = 0
    /// Whether some entries may have been missed: the bell was made anew, or has become shorter.
    var isGap = false
  }

  /// The entries after the one with a number; `nil` to begin with those that come from now on.
  func entries(after number: Int?) throws -> Heard {
    let all: [Entry]
    do {
      all = try (store.readJournal(of: Mailbox.bell) ?? []).map { try Entry($0) }
    } catch let error as FlowError where error.code == .unreadableJournal {
      try store.removeJournal(of: Mailbox.bell)
      return Heard(isGap: true)
    }
    guard let newest = all.last else { return Heard(isGap: number ?? 0 > 0) }
    guard let number else { return Heard(last: newest.number) }
    if newest.number < number { return Heard(new: all, last: newest.number, isGap: true) }
    let new = all.filter { $0.number > number }
    // A bell that had no entry has not become shorter yet if it has few.
    let isGap = number > 0 ? new.first.map { $0.number > number + 1 } ?? false : all.count >= Self.keptCount
    return Heard(new: new, last: newest.number, isGap: isGap)
  }
}
