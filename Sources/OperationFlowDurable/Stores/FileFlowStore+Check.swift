import Foundation
import OperationFlow

/// The result of reading all journals and mailboxes of a store: their numbers, and the problems.
package struct StoreCheck: Sendable {
  /// A journal that is damaged, or can't be read.
  package struct Problem: Sendable {
    /// The identifier of the run, or the name of the file if that isn't known.
    package let id: String
    package let error: FlowError
  }

  package private(set) var runCount = 0
  package private(set) var mailboxCount = 0
  package private(set) var problems: [Problem] = []

  /// Reads and counts one journal.
  fileprivate mutating func read(_ id: String, in store: FileFlowStore) {
    let isMailbox = Mailbox.isReserved(id)
    if isMailbox { mailboxCount += 1 } else { runCount += 1 }
    do {
      for data in try store.readJournal(of: id) ?? [] {
        switch id {
        case Mailbox.supervisor: break
        case Mailbox.bell: _ = try MailboxBell.Entry(data)
        case _ where isMailbox: _ = try Mailbox.Entry(data)
        default: _ = try JournalEntry(data)
        }
      }
    } catch { problems.append(Problem(id: id, error: .storeError(error))) }
  }

  fileprivate mutating func add(_ unreadable: [FlowUnfinishedRun]) {
    for run in unreadable {
      runCount += 1
      if let error = run.error { problems.append(Problem(id: run.id, error: error)) }
    }
  }
}

extension FileFlowStore {
  /// Reads all journals and mailboxes completely, and changes nothing.
  package func check() async throws -> StoreCheck {
    try await FileWork.perform {
      var check = StoreCheck()
      for id in try journalIDs() { check.read(id, in: self) }
      check.add(try unreadableRuns())
      return check
    }
  }
}
