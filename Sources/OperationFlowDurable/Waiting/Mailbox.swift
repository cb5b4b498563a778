import Foundation
import OperationFlow
import OperationFlowStorage

/// The signals that were sent to a run: a journal beside the run's own, so that every store can contain them.
struct Mailbox: Sendable {
  private static let suffix = ".signals"
  /// The journal in which a sender leaves the identifiers of runs for a supervisor.
  static let bell = suffix
  /// The journal that a supervisor has open.
  static let supervisor = ".supervisor"
  /// The number of signals that a run can be sent.
  static let limit = 10_000
  /// The number of times that a sender waits for others, with pauses of at most 10 milliseconds.
  private static let patience = 1_000

  /// Returns true if an identifier belongs to a mailbox or a supervisor, and not to a run.
  static func isReserved(_ id: String) -> Bool {
    // By its bytes: a letter before the suffix may be one character with the suffix's first.
    id.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) || id == supervisor
  }

  /// The identifier of a run's mailbox.
  static func id(of run: String) -> String { run + suffix }

  let run: String
  let store: any FlowStore
  var id: String { Self.id(of: run) }

  /// An entry: a message, and the date at which its run began, if the run had begun.
  struct Entry: Sendable {
    let message: SignalMessage
    let begun: Date?
    /// The number of the entry in the mailbox, from 1; `nil` if an earlier version wrote the entry.
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

  /// Returns the entries after a place, and the place after them; `nil` if there is no mailbox.
  func entries(after place: JournalPlace = .start) throws -> (entries: [Entry], end: JournalPlace)? {
    guard let part = try store.part(of: id, after: place) else { return nil }
    return (try part.entries.map { try Entry($0) }, part.end)
  }

  // MARK: Trouble

  /// Returns the error of a run whose mailbox can't be read.
  func unreadable(_ error: any Error) -> FlowError {
    if let error = error as? FlowError, error.code == .unreadableJournal { return .damagedMailbox(run, error) }
    return .unreadableMailbox(run, error)
  }

  /// Returns the error of a run with a step that can't accept a message.
  func untakeable(_ message: SignalMessage, _ error: FlowError) -> FlowError { .untakeableSignal(run, error) }

  // MARK: Changing it

  /// Appends a message, which is on the disk when the call returns.
  ///
  /// A message that is there already does no harm: the run accepts it once.
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
    do { try await journal.synchronize() } catch {
      throw error is CancellationError ? error : FlowError.storeError(error)
    }
  }

  /// Returns the number of the last entry, which is the number of all entries.
  private func number(of last: Data?) throws -> Int {
    guard let last else { return 0 }
    // Of a long entry, `last` has only the beginning.
    if let entry = try? Entry(last), let number = entry.number { return number }
    return try store.readJournal(of: id)?.count ?? 0
  }

  /// Encrypts the values of some signals that are in clear text.
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

  /// Removes the mailbox of a run that has ended; a mailbox that a sender has open stays, and no other run reads it.
  func remove() { try? store.removeJournal(of: id) }

  /// Removes the mailbox, if there is one, of a run that is found to have ended.
  func removeIfThere() { if (try? store.ends(of: id)) != nil { remove() } }

  /// Opens a journal that others have open only briefly, on a thread that may wait for files.
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

/// The journal that notifies a supervisor of the runs that were sent something, by any process.
struct MailboxBell: Sendable {
  /// The number of entries that stay when the bell is shortened, usually before there are more than twice as many.
  ///
  /// A supervisor that may have missed an entry looks at all mailboxes.
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
      // The bell has nothing but hints. A supervisor that finds a new bell looks at all mailboxes.
      try? await FileWork.perform { try store.removeJournal(of: Mailbox.bell) }
      try await append(run)
    }
  }

  private func append(_ run: String) async throws {
    let store = store
    let number = try await Mailbox.whenFree {
      let end = try store.end(of: Mailbox.bell)
      defer { end.journal.close() }
      // A new bell begins with a random number, so that its entries aren't confused with earlier ones.
      let number = try end.last.map { try Entry($0).number } ?? Int.random(in: 1...Int.max / 2)
      try end.journal.append(Entry(number: number + 1, run: run).data)
      return number + 1
    }
    if number % Self.keptCount == 0 { await shorten() }
  }

  /// Removes the oldest entries, if that is possible now.
  private func shorten() async {
    let store = store
    guard let open = try? await FileWork.perform({ try store.openJournal(of: Mailbox.bell) }) else { return }
    defer { open.journal.close() }
    let count = open.entries.count - Self.keptCount
    // The bell has rung, so a failure is none of the caller's.
    if count > 0 { try? await open.journal.replaceEntries(first: count, with: []) }
  }

  /// The entries that were added to the bell since a supervisor read it last.
  struct Heard: Sendable {
    var new: [Entry] = []
    /// The number of the last entry; zero if there is none.
    var last = 0
    /// True if some entries may have been missed, because the bell was created anew or became shorter.
    var isGap = false
  }

  /// Returns the entries after the one with a number; with `nil`, returns only the number of the last entry.
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
    // A bell that had no entry has not become shorter yet if it has few entries.
    let isGap = number > 0 ? new.first.map { $0.number > number + 1 } ?? false : all.count >= Self.keptCount
    return Heard(new: new, last: newest.number, isGap: isGap)
  }
}
