import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import flow_store

/// Checks the lists and details that `flow-store` prints.
@Suite(.watched) struct ListTests {
  @Test func `runs are listed in columns, each in a line of its own`() async throws {
    try await withRuns { store in
      let list = await ToolRun.on(store, "list")
      #expect(list.code == .done && list.errors.isEmpty)
      let lines = list.output.map { $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init) }
      #expect(lines.map(\.first) == ["ID", "bad", "good", "tab\\tbed", "waits"])
      #expect(lines.map { $0[1] } == ["FLOW", "Bad", "Good", "Order", "Order"])
      #expect(list.output[1].hasSuffix("failed: TestError(broken\\nin two)") && list.output[2].hasSuffix("succeeded"))
      #expect(list.output[3].hasSuffix("unfinished") && list.output[4].hasSuffix("waiting for the signal approved"))
      let columns = list.output.map { line in
        line.range(of: " 2026-").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
      }
      #expect(Set(columns.dropFirst()).count == 1)
    }
  }

  @Test(arguments: [
    (["--waiting"], ["waits"]), (["--failed"], ["bad"]), (["--unfinished"], ["tab\tbed", "waits"]),
    (["--flow", "Order"], ["tab\tbed", "waits"]), (["--flow", "Good", "--failed"], []),
    ([], ["bad", "good", "tab\tbed", "waits"]),
  ])
  func `a filter leaves the others out`(words: [String], ids: [String]) async throws {
    try await withRuns { store in
      let list = await ToolRun.of([store.folder.path, "list", "--json"] + words)
      let runs: [RunDescription] = try list.decoded()
      #expect(runs.map(\.id) == ids && list.code == .done)
    }
  }

  @Test func `scripts read all that is known of a run`() async throws {
    try await withRuns { store in
      let waiting: RunDescription = try await ToolRun.on(store, "show", "waits", "--json").decoded()
      #expect(waiting.state == "waiting" && waiting.flow == "Order" && waiting.ended == nil && waiting.began != nil)
      #expect(waiting.waits?.map(\.signal) == ["approved"] && waiting.settledSteps == 1)
      #expect(waiting.steps?.map(\.state) == ["succeeded", "waits", "not reached"])
      #expect(waiting.values == ["paid": "true"] && waiting.messages?.isEmpty == true)
      let good: RunDescription = try await ToolRun.on(store, "show", "good", "--json").decoded()
      #expect(good.values == ["colour": "\"red\"", "size": "3"] && good.ended != nil)
    }
  }

  @Test func `the details of a run are printed with its steps, its values and its signals`() async throws {
    try await withRuns { store in
      #expect(await ToolRun.on(store, "send", "waits", "approved", "\"yes\"").code == .done)
      let shown = await ToolRun.on(store, "show", "waits")
      let text = shown.output.joined(separator: "\n")
      #expect(shown.code == .done)
      for part in [
        "run      waits", "steps:", "1. pay", "succeeded", "values:", "paid", "signals in the mailbox:", "approved",
      ] {
        #expect(text.contains(part), "\(text)")
      }
      let escaped = await ToolRun.on(store, "show", "tab\\tbed")
      #expect(escaped.code == .done && escaped.output.first == "run      tab\\tbed")
    }
  }

  @Test func `a sensitive value is shown by nobody`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let flow = Flow("Secret").set(FlowKey<String>("pin", sensitive: true), to: "1234").add("a") { _ in }
      #expect(await flow.run(id: "s", in: store, sealing: .masking).isSuccess)
      let text = await ToolRun.on(store, "show", "s").output.joined(separator: "\n")
      #expect(text.contains("<redacted>") && !text.contains("1234"))
    }
  }

  @Test func `what can't be read is listed, named by check, and an error of show`() async throws {
    try await withRuns { store in
      #expect(await ToolRun.on(store, "check").code == .done)
      try Data("nonsense".utf8).write(to: store.file(of: "good"))
      let list = await ToolRun.on(store, "list", "--unfinished")
      #expect(list.code == .done && list.output.count == 4 && list.output[1].contains("unreadable: "))
      let check = await ToolRun.on(store, "check")
      #expect(check.code == .damageFound && check.output.count == 2 && check.output[0].hasPrefix("good: "))
      #expect(check.output[1] == "4 journals and 0 mailboxes read, 1 damaged")
      let found: CheckDescription = try await ToolRun.on(store, "check", "--json").decoded()
      #expect(found.problems.map(\.id) == ["good"])
      let shown = await ToolRun.on(store, "show", "good")
      #expect(shown.code == .damaged && shown.errors.count == 1)
    }
  }
}
