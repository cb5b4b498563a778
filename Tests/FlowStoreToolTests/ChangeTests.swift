import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import flow_store

/// Checks what `flow-store` changes in a store, and what it refuses.
@Suite(.watched) struct ChangeTests {
  private static let approved: FlowSignal<String> = "approved"

  private func ids(_ store: FileFlowStore) -> [String]? { try? store.runIDs() }

  @Test func `a signal that is sent as JSON is taken by the step that waits for it`() async throws {
    struct Approval: Codable, Sendable, Equatable { var by: String }
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let signal: FlowSignal<Approval> = "approved"
      async let outcome = Flow("Order").wait(for: signal).run(id: "r", in: store)
      while await ToolRun.on(store, "list", "--waiting").output.count < 2 { await Task.yield() }
      let sent = await ToolRun.on(store, "send", "r", "approved", " {\"by\": \"ann\"} ")
      #expect(sent.code == .done && sent.output == ["sent approved to r"])
      #expect(await outcome.report[signal.key] == Approval(by: "ann"))
      #expect(await ToolRun.on(store, "send", "r", "approved", "1").code == .hasEnded)
    }
  }

  @Test func `a run is cancelled in the process that has it, and one that has ended is not`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let begins = Signal()
      async let outcome = Flow("Endless").add("a") { _ async throws in
        begins.fire()
        try await Task.sleep(for: .seconds(86_400))
      }.run(id: "r", in: store)
      await begins.wait()
      #expect(await ToolRun.on(store, "cancel", "r").code == .done)
      #expect(await outcome.isCancelled)
      #expect(await ToolRun.on(store, "cancel", "r").code == .hasEnded)
      #expect(await ToolRun.on(store, "cancel", "none").code == .unknownRun)
      let ended: RunDescription = try await ToolRun.on(store, "show", "r", "--json").decoded()
      #expect(ended.state == "cancelled")
    }
  }

  @Test func `a failed run is retried, and others are refused with a code of their own`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let isMended = Locked(false)
      let flow = Flow("Order").add("a") { _ in if !isMended.withLock({ $0 }) { throw TestError(name: "down") } }
      _ = await flow.run(id: "r", in: store)
      let retried = await ToolRun.on(store, "retry", "r")
      #expect(retried.code == .done && retried.output.first?.hasPrefix("retried r: ") == true)
      #expect(await ToolRun.on(store, "list", "--unfinished").output.count == 2)
      #expect(await ToolRun.on(store, "retry", "r").code == .notRetryable)
      isMended.withLock { $0 = true }
      #expect(await flow.run(id: "r", in: store).isSuccess)
      #expect(await ToolRun.on(store, "retry", "r").code == .notRetryable)
      #expect(await ToolRun.on(store, "retry", "none").code == .unknownRun)
    }
  }

  @Test func `what isn't JSON, and what is sensitive, is not sent`() async throws {
    try await withRuns { store in
      for json in ["yes", "{", "", "1 2"] {
        #expect(await ToolRun.on(store, "send", "waits", "approved", json).code == .invalidSignal)
      }
      #expect(await ToolRun.on(store, "send", "waits", "password", "\"x\"").code == .invalidSignal)
      #expect(await ToolRun.on(store, "send", "none", "approved", "1").code == .unknownRun)
      let shown: RunDescription = try await ToolRun.on(store, "show", "waits", "--json").decoded()
      #expect(shown.messages?.isEmpty == true)
    }
  }

  @Test func `a run is removed once that is confirmed`() async throws {
    try await withRuns { store in
      for answer in [nil, "", "n", "maybe"] {
        let refused = await ToolRun.on(store, "remove", "good", answer: answer)
        #expect(refused.code == .notConfirmed && refused.errors.first == "Remove the run good? [y/N]")
      }
      #expect(ids(store)?.contains("good") == true)
      let removed = await ToolRun.on(store, "remove", "good", answer: "y")
      #expect(removed.code == .done && removed.output == ["removed good"])
      #expect(await ToolRun.on(store, "remove", "bad", "--yes").code == .done)
      #expect(await ToolRun.on(store, "remove", "bad", "--yes").code == .unknownRun)
      #expect(ids(store) == ["tab\tbed", "waits"])
    }
  }

  @Test func `a run that has not ended stays unless that is asked for, and one that a process has stays always`()
    async throws
  {
    try await withRuns { store in
      #expect(await ToolRun.on(store, "remove", "waits", "--yes").code == .hasNotEnded)
      try await store.withJournal(of: "waits") { _ in
        #expect(await ToolRun.on(store, "remove", "waits", "--even-if-unfinished", "--yes").code == .inUse)
      }
      #expect(ids(store)?.contains("waits") == true)
      #expect(await ToolRun.on(store, "remove", "waits", "--even-if-unfinished", "--yes").code == .done)
      #expect(await ToolRun.on(store, "remove", "tab\\tbed", "--even-if-unfinished", "--yes").code == .done)
      #expect(ids(store) == ["bad", "good"])
    }
  }

  @Test func `the runs that ended before a date are removed`() async throws {
    try await withRuns { store in
      #expect(await ToolRun.on(store, "remove", "--ended-before", "2020-01-31").code == .done)
      #expect(ids(store)?.count == 4)
      #expect(await ToolRun.on(store, "remove", "--ended-before", "2120-01-31T12:00:00Z").code == .notConfirmed)
      let removed = await ToolRun.on(store, "remove", "--ended-before", "2120-01-31", "--yes")
      #expect(removed.code == .done && removed.output == ["removed bad", "removed good"])
      #expect(ids(store) == ["tab\tbed", "waits"])
    }
  }

  @Test func `a folder that isn't there is made by no command`() async throws {
    try await withJournalFolder { folder in
      for words in [["list"], ["check"], ["show", "a"], ["send", "a", "b", "1"], ["remove", "a", "--yes"]] {
        let run = await ToolRun.of([folder.path] + words)
        #expect(run.code == .storeUnusable && run.errors.count == 1)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test(arguments: [
    [], [""], ["f"], ["f", "download"], ["f", "list", "more"], ["f", "list", "--failed", "--waiting"],
    ["f", "list", "--flow"], ["f", "show"], ["f", "send", "a"], ["f", "send", "a", "b"], ["f", "remove"],
    ["f", "cancel"],
    ["f", "remove", "--ended-before"], ["f", "remove", "--ended-before", "soon"], ["f", "check", "--yes"],
  ])
  func `a command line that isn't understood is an error with a remedy`(words: [String]) async {
    let run = await ToolRun.of(words)
    #expect(run.code == .usage && run.output.isEmpty && run.errors.count == 1)
    #expect(run.errors.first?.hasSuffix(" See flow-store --help.") == true)
  }

  @Test func `the help has every exit code and command`() async {
    for words in [["--help"], ["-h"], ["help"], ["folder", "--help"]] {
      let help = await ToolRun.of(words)
      #expect(help.code == .done && help.output == [Help.text])
    }
    let lines = Help.text.split(separator: "\n").map { $0.drop { $0 == " " } }
    for code in 0...12 { #expect(lines.contains { $0.hasPrefix("\(code)  ") }) }
    #expect(ExitCode(rawValue: 12) == .fileUnwritable && ExitCode(rawValue: 13) == nil)
  }
}
