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
  /// The number of signals that a run can be sent.
  static let limit = 10_000
  /// How long a sender waits for others at most.
  private static let patience = 1_000

  /// Whether an identifier is that of a journal which belongs to no run.
  static func isReserved(_ id: String) -> Bool {
    // By its bytes: a letter before the suffix may be one character with the suffix's first.
    id.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) || id == supervisor
  }

  /// The identifier of a run's mailbox.
  static func id(of run: String) -> String { run + suffix }

  let run: String
  let store: any FlowStore
  var id: String { Self.id(of: run) }

  /// An entry: a message, and when the run began that it was sent to, if it had begun.
  struct Entry: Sendable {
    let message: SignalMessage
    let begun: Date?
    /// Its place in the mailbox, from 1; `nil` if an earlier version wrote it.
    let number: Int?

    init(_ message: SignalMessage, begun: Date?, number: Int? = nil) {
      (self.message, self.begun, self.number) = (message, begun, number)
    }

    init(_ data: Data) throws(FlowError) {
      var reader = JournalReader(data)
      begun = try reader.optional { reader throws(FlowError) in try reader.date() }
      message = try SignalMessage(&reader)
      number = reader.isAtEnd ? nil : try reader.ordinal()
      guard reader.isAtEnd else { throw .unreadableEntry }
    }

    var data: Data {
      var writer = JournalWriter()
      writer.optional(begun) { $0.date($1) }
      message.write(to: &writer)
      if let number { writer.number(number) }
      return writer.data
    }
  }

  /// The entries after a place, and the place after them; `nil` if there is no mailbox.
  func entries(after place: JournalPlace = .start) throws -> (entries: [Entry], end: JournalPlace)? {
    guard let part = try store.part(of: id, after: place) else { return nil }
    return (try part.entries.map { try Entry($0) }, part.end)
  }

  // MARK: Trouble

  /// The error of a run whose mailbox can't be read.
  func unreadable(_ error: any Error) -> FlowError {
    if let error = error as? FlowError, error.code == .unreadableJournal { return .damagedMailbox(run, error) }
    return .unreadableMailbox(run, error)
  }

  /// The error of a run whose step can't be given a message.
  func untakeable(_ message: SignalMessage, _ error: FlowError) -> FlowError { .untakeableSignal(run, error) }

  // MARK: Changing it

  /// Appends a message; it is on the disk when this returns.
  ///
  /// One that is there already does no harm: the run takes it once.
  func append(_ message: SignalMessage, begun: Date?) async throws {
    let journal = try await Self.whenFree {
      let end = try store.end(of: id)
      return try end.journal.closing {
        let count = try number(of: end.last)
        guard count < Self.limit || message.isCancellation else { throw FlowError.fullMailbox(run, Self.limit) }
        try end.journal.append(Entry(message, begun: begun, number: count + 1).data)
        return end.journal
      }
    }
    defer { journal.close() }
    try await journal.synchronize()
  }

  /// The number of the last entry, which is how many there are.
  private func number(of last: Data?) throws -> Int {
    guard let last else { return 0 }
    // Of a long entry, there is only the beginning.
    if let entry = try? Entry(last), let number = entry.number { return number }
    return try store.readJournal(of: id)?.count ?? 0
  }

  /// Encrypts what some signals have left in clear text.
  func seal(_ signals: Set<String>, with sealing: FlowSealing) async throws {
    let (journal, entries) = try await Self.whenFree {
      let open = try store.openJournal(of: id)
      return try open.journal.closing {
        let entries = try open.entries.map { data in
          let entry = try Entry(data)
          guard entry.message.isClear, signals.contains(entry.message.name) else { return data }
          return Entry(try entry.message.sealed(by: sealing), begun: entry.begun, number: entry.number).data
        }
        return (open.journal, entries == open.entries ? [] : entries)
      }
    }
    defer { journal.close() }
    if !entries.isEmpty { try await journal.replaceEntries(first: entries.count, with: entries) }
  }

  /// Removes all messages, when the run has ended; what a sender holds at that moment stays, and no other run gets it.
  func remove() { try? store.removeJournal(of: id) }

  /// Does the same for a run that is found to have ended.
  func removeIfThere() { if (try? store.ends(of: id)) != nil { remove() } }

  /// Opens a journal that others hold for moments only, on a thread that may wait for files.
  static func whenFree<Value: Sendable>(_ open: @escaping @Sendable () throws -> Value) async throws -> Value {
    var attempts = 0
    while true {
      do { return try await FileWork.perform(open) } catch let error as FlowError {
        guard error.code == .runInUse, attempts < patience else { throw error }
        attempts += 1
        try await Task.sleep(for: .milliseconds(min(10, attempts)))
      }
    }
  }
}

extension FlowJournal {
  /// Closes the journal if the body throws.
  func closing<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      close()
      throw error
    }
  }
}

/// What tells a supervisor that a run has been sent something, whichever process has sent it.
struct MailboxBell: Sendable {
  /// The number of entries are kept at least, and twice as many at most; a supervisor that has missed some looks at all mailboxes.
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
    guard try await FileWork.perform({ try store.ends(of: Mailbox.supervisor) }) != nil else { return }
    do {
      try await append(run)
    } catch let error as FlowError where error.code == .unreadableJournal {
      // It has nothing but hints: whoever reads it finds that it has begun anew, and looks at all mailboxes.
      try? await FileWork.perform { try store.removeJournal(of: Mailbox.bell) }
      try await append(run)
    }
  }

  private func append(_ run: String) async throws {
    let store = store
    let number = try await Mailbox.whenFree {
      let end = try store.end(of: Mailbox.bell)
      defer { end.journal.close() }
      // A bell that is made anew counts on from anywhere, so that its entries aren't taken for those before.
      let number = try end.last.map { try Entry($0).number } ?? Int.random(in: 1...Int.max / 2)
      try end.journal.append(Entry(number: number + 1, run: run).data)
      return number + 1
    }
    if number % Self.keptCount == 0 { try await shorten() }
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
    /// True if some entries may have been missed: the bell was made anew, or has become shorter.
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
