import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport

@testable import flow_store

/// The output of a command, and how it ended.
struct ToolRun {
  let code: ExitCode
  let output: [String]
  let errors: [String]

  /// Runs a command in this process.
  static func of(_ arguments: [String], answer: String? = nil) async -> ToolRun {
    let (output, errors) = (Journal<String>(), Journal<String>())
    let console = Console(print: { output.append($0) }, report: { errors.append($0) }, answer: { answer })
    let code = await Tool(console: console).run(arguments)
    return ToolRun(code: code, output: output.entries, errors: errors.entries)
  }

  /// Runs a command on a store.
  static func on(_ store: FileFlowStore, _ words: String..., answer: String? = nil) async -> ToolRun {
    await of([store.folder.path] + words, answer: answer)
  }

  /// Returns the output as JSON.
  func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(output.joined(separator: "\n").utf8))
  }
}

/// Calls `body` with a store of four runs: "bad", "good", "tab\tbed", which is unfinished, and "waits".
///
/// The last one waits for a signal.
func withRuns(_ body: (FileFlowStore) async throws -> Void) async throws {
  try await withJournalFolder { folder in
    let store = FileFlowStore(folder: folder)
    _ = await Flow("Good").set("colour", to: "red").add("paint") { $0["size"] = 3 }.run(id: "good", in: store)
    _ = await Flow("Bad").add("break") { _ in throw TestError(name: "broken\nin two") }.run(id: "bad", in: store)
    let memory = MemoryFlowStore()
    let flow = Flow("Order").add("pay") { $0["paid"] = true }.wait(for: "approved" as FlowSignal<String>)
      .add("ship") { _ in }
    async let outcome = flow.run(id: "r", in: memory)
    while true {
      if case .waiting? = try await memory.storedRun("r")?.state { break }
      await Task.yield()
    }
    let entries = memory.readJournal(of: "r") ?? []
    try await memory.send("approved" as FlowSignal<String>, "yes", to: "r")
    _ = await outcome
    for (id, count) in [("tab\tbed", 2), ("waits", entries.count)] {
      try await store.withJournal(of: id) { journal in for entry in entries.prefix(count) { try journal.append(entry) }
      }
    }
    try await body(store)
  }
}
