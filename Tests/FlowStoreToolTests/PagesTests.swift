import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

@testable import flow_store

/// Checks the pages that `flow-store` makes of journals.
@Suite(.watched) struct PagesTests {
  /// Returns a flow with steps of every kind, which fails at the end, and undoes what it did.
  private static func everything() -> Flow {
    let flow = Flow("Everything").set("way", to: "web").set("password", to: "s3cret<b>")
    let count: FlowKey<Int> = "count"
    flow.add("start", .writes(count)) { context in
      context[count] = 3
      context["password"] = "other s3cret"
    }
    flow.cases(on: FlowKey<String>("way")) {
      $0.when("web") { $0.add("web page", .undo { _ in throw TestError(name: "gone") }) { _ in } }
      $0.when("print") { $0.add("paper") { _ in } }
    }
    flow.forEach(in: 0..<4, width: 2, tolerating: .all, .named("items"), .retry(.attempts(2))) { item, context in
      if item == 2 || (item == 1 && context.attempt == 1) { throw TestError(name: "<item> \(item)") }
    }
    flow.parallel {
      $0.branch("left") { $0.add("a") { _ in } }
      $0.branch("right") { $0.add("b", .recover { _, _ in }) { _ in throw TestError(name: "recovers") } }
    }
    flow.add(flow: Flow("Inner").add("deep", .undo { _ in }) { _ in })
    flow.add("skipped", .when("way", is: "print")) { _ in }
    flow.add("fails", .retry(.attempts(2)), .timeout(.seconds(60))) { _ in
      throw TestError(name: "<script>alert(1)</script>")
    }
    flow.add("later") { _ in }
    flow.always { $0.add("close") { _ in } }
    return flow
  }

  /// A step as a page shows it.
  private struct Shown: Equatable {
    var name: String
    var path: String
    var number: Int?
    var parent: String?
    var state: FlowRecord.State
    var attempts: Int
    var items: FlowReport.Items?

    static func all(_ record: FlowRecord) -> [Shown] {
      record.steps.map { step in
        Shown(
          name: step.name, path: step.path.description, number: step.number,
          parent: step.parent.flatMap(record.step)?.path.description, state: step.state, attempts: step.attempts,
          items: step.items)
      }
    }
  }

  private func stored(_ id: String, _ store: FileFlowStore) async throws -> FlowRecord {
    try #require(try await store.record(of: id)).record
  }

  @Test func `the record of a journal has the steps of the run's own, with their states and attempts`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      let outcome = await Self.everything().run(id: "r", in: store)
      let (live, found) = (outcome.report.record, try await stored("r", store))
      let (wanted, shown) = (Shown.all(live), Shown.all(found))
      for (one, other) in zip(wanted, shown) where one != other { Issue.record("\(other), and not \(one)") }
      #expect(wanted.count == shown.count && found.ending?.result == .failed)
      #expect(found.ending?.failure?.name == live.ending?.failure?.name && found.ending?.failure?.attempt == 2)
      for kind in ["started", "finished", "recovered", "undoStarted", "undoFinished", "caseChosen", "skipped"] {
        #expect(count(kind, found) == count(kind, live), "\(kind)")
      }
    }
  }

  /// Counts a record's events of a kind that belong to steps.
  private func count(_ kind: String, _ record: FlowRecord) -> Int {
    record.events.count { $0.step != nil && "\($0.kind)".hasPrefix(kind) }
  }

  @Test func `a page has what failed, escapes it, and shows no secret`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      _ = await Self.everything().run(id: "r", in: store)
      let file = folder.appendingPathComponent("page.html").path
      let made = await ToolRun.on(store, "page", "r", "--to", file)
      #expect(made.code == .done && made.output == ["wrote \(file)"])
      let page = try String(contentsOfFile: file, encoding: .utf8)
      #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("fails") && !page.contains("<script>alert"))
      #expect(!page.contains("s3cret"))
    }
  }

  @Test func `an index links a page for each run, the newest first, whatever its id is`() async throws {
    try await withRuns { store in
      let ids = ["a/b", "a_2fb", "<b>", "..", String(repeating: "é", count: 90)]
      for id in ids { _ = await Flow("Odd & end").add("a") { _ in }.run(id: id, in: store) }
      let target = store.folder.appendingPathComponent("out/pages").path
      let made = await ToolRun.on(store, "pages", "--to", target)
      #expect(made.code == .done && made.output == ["wrote \(target)/index.html and 9 pages"])
      let index = try String(contentsOfFile: target + "/index.html", encoding: .utf8)
      let files = try FileManager.default.contentsOfDirectory(atPath: target).filter { $0 != "index.html" }
      #expect(files.count == 9 && files.allSatisfy { index.contains("href=\"\($0)\"") })
      #expect(index.contains("&lt;b&gt;") && !index.contains("<b>") && index.contains("Odd &amp; end"))
      #expect(index.contains("waiting for the signal approved") && index.contains(">TestError(broken"))
      let few = await ToolRun.on(store, "pages", "--limit", "2", "--flow", "Odd & end", "--to", target)
      #expect(few.code == .done)
      let short = try String(contentsOfFile: target + "/index.html", encoding: .utf8)
      #expect(short.contains("without 3 older ones") && short.components(separatedBy: "<tr><td").count == 3)
    }
  }

  @Test func `a run that is under way has a page without an end, and a damaged one is named by the index`() async throws
  {
    try await withRuns { store in
      let waiting = try await stored("waits", store)
      #expect(waiting.ending == nil && waiting.steps.map(\.state) == [.succeeded, .running, .waiting])
      let file = try FileManager.default.contentsOfDirectory(atPath: store.folder.path).first { $0.contains("good") }
      let path = store.folder.appendingPathComponent(try #require(file)).path
      try Data("damaged".utf8).write(to: URL(fileURLWithPath: path))
      let target = store.folder.appendingPathComponent("pages").path
      #expect(await ToolRun.on(store, "pages", "--to", target).output == ["wrote \(target)/index.html and 3 pages"])
      let index = try String(contentsOfFile: target + "/index.html", encoding: .utf8)
      #expect(index.contains("class=\"unreadable\"") && !index.contains(">good</a>"))
      #expect(await ToolRun.on(store, "page", "good", "--to", target + "/x.html").code == .damaged)
    }
  }

  @Test func `what can't be written, and what isn't there, have codes of their own`() async throws {
    try await withRuns { store in
      let file = store.folder.appendingPathComponent("file").path
      try Data().write(to: URL(fileURLWithPath: file))
      #expect(await ToolRun.on(store, "page", "good", "--to", file + "/x.html").code == .fileUnwritable)
      #expect(await ToolRun.on(store, "pages", "--to", file).code == .fileUnwritable)
      #expect(await ToolRun.on(store, "page", "none", "--to", file).code == .unknownRun)
      for words in [["page", "good"], ["pages"], ["pages", "--limit", "0", "--to", file], ["pages", "--to"]] {
        #expect(await ToolRun.of([store.folder.path] + words).code == .usage)
      }
    }
  }
}
