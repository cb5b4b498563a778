import Foundation
import OperationFlow
import OperationFlowDurable

/// A folder for journals that isn't there yet, and is removed at the end.
@discardableResult
package func withJournalFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let parent = FileManager.default.temporaryDirectory.appendingPathComponent("journals-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: parent) }
  return try await body(parent.appendingPathComponent("runs"))
}

extension FlowStore {
  /// Opens a journal for as long as the body runs.
  package func withJournal<Result>(
    of id: String, _ body: (any FlowJournal) async throws -> Result
  ) async throws -> Result {
    let journal = try openJournal(of: id).journal
    defer { journal.close() }
    return try await body(journal)
  }
}

/// Entries that differ, of many lengths.
package func entries(_ numbers: Range<Int>) -> [Data] {
  numbers.map { number in
    Data("\(number):".utf8) + Data(repeating: UInt8(truncatingIfNeeded: number), count: number * 37 % 701)
  }
}
