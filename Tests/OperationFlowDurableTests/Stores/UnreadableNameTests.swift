import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// Journals whose identifiers are too long for the names of their files.
@Suite(.watched) struct UnreadableNameTests {
  private static let long = String(repeating: "long ", count: 100)

  private func flow() -> Flow { Flow("Long").add("one") { _ in }.add("two") { _ in } }

  private func unfinished(_ id: String, in store: FileFlowStore) async throws {
    let memory = MemoryFlowStore()
    _ = await flow().run(id: id, in: memory)
    try await store.withJournal(of: id) { journal in
      for entry in (memory.journals[id] ?? []).prefix(2) { try journal.append(entry) }
    }
  }

  @Test func `a damaged file hides no other run, and is listed by its name`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      for id in ["a", Self.long, Self.long + "b", "z"] { try await unfinished(id, in: store) }
      let file = store.file(of: Self.long)
      for bytes in [Data(), Data(try Data(contentsOf: file).prefix(60)), Data("text".utf8)] {
        try bytes.write(to: file)
        #expect(try store.runIDs() == ["a", Self.long + "b", "z"])
        let runs = try await store.unfinished()
        let name = file.deletingPathExtension().lastPathComponent
        #expect(runs.map(\.id) == ["a", Self.long + "b", name, "z"].sorted())
        for run in runs { #expect((run.error?.code == .unreadableJournal) == (run.id == name)) }
        let problem = try #require(runs.first { $0.id == name }?.error?.problem)
        #expect(problem.contains(file.path))
      }
    }
  }

  @Test func `other files with such names are no runs`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await unfinished("a", in: store)
      for name in ["x~y.journal", "~.journal"] {
        try Data("notes".utf8).write(to: folder.appendingPathComponent(name))
      }
      #expect(try store.runIDs() == ["a"])
      #expect(try await store.unfinished().map(\.id) == ["a"])
    }
  }
}
