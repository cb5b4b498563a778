import Foundation
import OperationFlow
import OperationFlowDurable

extension MemoryCase {
  private static let itemCount = 100_000
  private static let numbers: FlowKey<[Int]> = "numbers"

  private static func items() -> Flow {
    Flow().recording(.none).set(numbers, to: Array(0..<itemCount)).forEach(numbers, width: 3) { _, _ in }
  }

  /// The memory of a run with a journal, and of a run that resumes from it, with many entries.
  static let durable = [
    MemoryCase(name: "group of 100,000 items with a journal in a file", limit: 64 * 1_024) {
      await inFolder { folder in _ = await items().run(id: "a", in: FileFlowStore(folder: folder)) }
    },
    MemoryCase(name: "the same, and resumed when all items have settled", limit: 64 * 1_024) {
      await inFolder { folder in
        let store = FileFlowStore(folder: folder)
        // The beginning, the plan and the items, as if the process had ended at that point.
        _ = await items().run(id: "a", in: CutStore(store: store, limit: itemCount + 2))
        _ = await items().run(id: "a", in: store)
      }
    },
  ]

  private static func inFolder(_ body: (URL) async -> Void) async {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
    await body(folder)
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A store whose journals drop all entries after a number of them.
private struct CutStore: FlowStore {
  let store: FileFlowStore
  let limit: Int

  func openJournal(of id: String) throws -> FlowOpenJournal {
    let opened = try store.openJournal(of: id)
    return FlowOpenJournal(CutJournal(opened.journal, room: limit - opened.entries.count), entries: opened.entries)
  }

  // Without entries, the journal is never shortened.
  func readJournal(of id: String) throws -> [Data]? { nil }
  func runIDs() throws -> [String] { try store.runIDs() }
  func removeJournal(of id: String) throws { try store.removeJournal(of: id) }
}

private final class CutJournal: FlowJournal {
  private let journal: any FlowJournal
  private let room: Locked<Int>

  init(_ journal: any FlowJournal, room: Int) { (self.journal, self.room) = (journal, Locked(room)) }

  func append(_ entry: Data) throws {
    let isKept = room.withLock { room in
      room -= 1
      return room >= 0
    }
    if isKept { try journal.append(entry) }
  }

  func synchronize() async throws { try await journal.synchronize() }
  func replaceEntries(first count: Int, with entries: [Data]) async throws {}
  func close() { journal.close() }
}
