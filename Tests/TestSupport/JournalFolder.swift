import Foundation
import OperationFlow
import OperationFlowDurable

/// Calls `body` with a folder for journals that doesn't exist yet, and removes it afterwards.
@discardableResult
package func withJournalFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let parent = FileManager.default.temporaryDirectory.appendingPathComponent("journals-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: parent) }
  return try await body(parent.appendingPathComponent("runs"))
}

extension FlowStore {
  /// Opens a journal while `body` runs.
  package func withJournal<Result>(
    of id: String, _ body: (any FlowJournal) async throws -> Result
  ) async throws -> Result {
    let journal = try openJournal(of: id).journal
    defer { journal.close() }
    return try await body(journal)
  }
}

/// Returns entries that differ, of many lengths.
package func entries(_ numbers: Range<Int>) -> [Data] {
  numbers.map { number in
    Data("\(number):".utf8) + Data(repeating: UInt8(truncatingIfNeeded: number), count: number * 37 % 701)
  }
}
