import Foundation
import OperationFlow

/// The journal of a supervisor, with the facts that the next supervisor of the store needs.
///
/// It is open while the supervisor supervises. Only the supervisor's loop uses it.
final class SupervisorBook: Sendable {
  /// The reported end of a run, with the date of its beginning, because another run may have its identifier later.
  struct Telling: Sendable {
    let id: String
    let begun: Date
  }

  enum Entry: Sendable {
    /// The listener has returned for these ends, or is never called for them.
    case told([Telling])
    /// A supervisor begins to resume the runs that it has found.
    case starts
    /// A supervisor has stopped, or has lasted for so long that its runs aren't likely to end its process.
    case lasts
    /// A supervisor begins a run that may have ended its process.
    case tries(String)
  }

  /// The facts that the entries contain.
  struct Contents: Sendable {
    /// True if no supervisor has ever looked at the store.
    var isNew = true
    /// The runs whose end needs no report, with the dates of their beginnings.
    var told: [String: Date] = [:]
    /// The number of supervisors that have started since one has lasted.
    var startCount = 0
    /// The number of times that each run was tried since then.
    var tries: [String: Int] = [:]
  }

  let found: Contents
  private let journal: any FlowJournal
  private let entryCount: Locked<Int>

  /// Opens the journal, on a thread that may wait for files.
  init(in store: any FlowStore) throws {
    let open = try store.openJournal(of: Mailbox.supervisor)
    journal = open.journal
    do {
      var contents = Contents()
      for data in open.entries { contents.add(try Entry(data)) }
      found = contents
    } catch {
      open.journal.close()
      throw error
    }
    entryCount = Locked(open.entries.count)
  }

  func close() { journal.close() }

  /// Appends entries; if it throws, some of them may be there, and may be written again.
  func append(_ entries: [Entry]) async throws {
    if entries.isEmpty { return }
    try await FileWork.perform { [self] in
      for entry in entries {
        try journal.append(entry.data)
        entryCount.withLock { $0 += 1 }
      }
    }
  }

  /// Returns true if the journal is so long that it is worthwhile to write it anew.
  func isLong(for toldCount: Int) -> Bool { entryCount.withLock { $0 > 2 * toldCount + 1_024 } }

  /// Writes the journal anew; `rest` has the entries about starts and trials.
  func replace(told: [String: Date], rest: [Entry]) async throws {
    let entries = [Entry.told(told.map { Telling(id: $0.key, begun: $0.value) })] + rest
    try await journal.replaceEntries(first: entryCount.withLock { $0 }, with: entries.map(\.data))
    entryCount.withLock { $0 = entries.count }
  }
}

extension SupervisorBook.Contents {
  mutating func add(_ entry: SupervisorBook.Entry) {
    switch entry {
    case .told(let runs):
      isNew = false
      for run in runs { told[run.id] = run.begun }
    case .starts: startCount += 1
    case .lasts: (startCount, tries) = (0, [:])
    case .tries(let id): tries[id, default: 0] += 1
    }
  }
}

extension SupervisorBook.Entry {
  private enum Kind: UInt8 { case told = 1, starts, lasts, tries }

  init(_ data: Data) throws(FlowError) {
    var reader = JournalReader(data)
    switch Kind(rawValue: try reader.byte()) {
    case .told:
      self = .told(
        try reader.list { reader throws(FlowError) in
          SupervisorBook.Telling(id: try reader.text(), begun: try reader.date())
        })
    case .starts: self = .starts
    case .lasts: self = .lasts
    case .tries: self = .tries(try reader.text())
    case nil: throw .unreadableEntry
    }
    guard reader.isAtEnd else { throw .unreadableEntry }
  }

  var data: Data {
    var writer = JournalWriter()
    switch self {
    case .told(let runs):
      writer.byte(Kind.told.rawValue)
      writer.list(runs) { writer, run in
        writer.text(run.id)
        writer.date(run.begun)
      }
    case .starts: writer.byte(Kind.starts.rawValue)
    case .lasts: writer.byte(Kind.lasts.rawValue)
    case .tries(let id):
      writer.byte(Kind.tries.rawValue)
      writer.text(id)
    }
    return writer.data
  }
}
