import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched) struct TerminalProgressTests {
  /// A terminal that stores its contents, and understands the cursor movements of the progress.
  private final class Screen: @unchecked Sendable {
    // Invariant: everything is used only under `lock`.
    private let lock = NSLock()
    private var lines: [String] = [""]
    private var row = 0
    private(set) var writeCount = 0
    private var written = ""

    /// Returns true if the text was ever written.
    func hasShown(_ text: String) -> Bool { lock.withLock { written.contains(text) } }

    /// The lines that are not empty.
    var shown: [String] { lock.withLock { lines.filter { !$0.isEmpty } } }

    func write(_ text: String) { lock.withLock { take(text) } }

    private func take(_ text: String) {
      writeCount += 1
      written += text
      var rest = Substring(text)
      while let first = rest.first {
        if first == "\u{1B}", let code = rest.firstMatch(of: #/^\u{1B}\[(\d*)([AKJ])/#) {
          if code.2 == "A" { row = max(0, row - (Int(code.1) ?? 1)) }
          if code.2 == "K" { lines[row] = String(lines[row]) }
          if code.2 == "J" { lines = Array(lines[...row]).dropLast() + [""] }
          rest = rest[code.range.upperBound...]
        } else if first == "\n" || first == "\r\n" {
          row += 1
          if row == lines.count { lines.append("") }
          rest = rest.dropFirst()
        } else if first == "\r" {
          rest = rest.dropFirst()
        } else {
          let line = rest.prefix { $0 != "\n" && $0 != "\u{1B}" && $0 != "\r" }
          lines[row] = String(line)
          rest = rest.dropFirst(line.count)
        }
      }
    }
  }

  private static let items = FlowKey<[Int]>("items")

  private func progress(_ screen: Screen, isInteractive: Bool = true, columns: Int = 80, rows: Int = 24)
    -> TerminalProgress
  {
    let output = TerminalOutput(
      isInteractive: isInteractive, window: { TerminalWindow(columns: columns, rows: rows) }, write: screen.write)
    return TerminalProgress(to: output, on: ContinuousClock())
  }

  @Test(arguments: [true, false])
  func `a secret in a name is hidden as in the record, also one that comes later`(isInteractive: Bool) async {
    let (screen, isLate, mayEnd) = (Screen(), Signal(), Signal())
    let progress = progress(screen, isInteractive: isInteractive)
    let run = Flow("for s3cret-1").setData(name: "password", value: "s3cret-1").set(Self.items, to: Array(0..<8))
      .parallel {
        $0.branch("a") {
          $0.add("log in with s3cret-1 and s3cret-2") { context in
            context[FlowKey<String>("token")] = "s3cret-2"
            await isLate.fire(thenAwait: mayEnd)
          }
        }
        $0.branch("b") {
          $0.add("wait") { _ in await isLate.wait() }
            .forEach(Self.items, width: 1, .named("each of s3cret-2")) { item, _ in if item == 4 { await mayEnd.wait() }
            }
        }
      }.start()
    // The token isn't a secret until the step writes it.
    await isLate.wait()
    let showing = Task { await progress.follow(run) }
    while !screen.shown.contains(where: { $0.contains("each of <redacted>") }) { await Task.yield() }
    if isInteractive {
      while !screen.shown.contains(where: { $0.contains("with <redacted> and <redacted>") }) { await Task.yield() }
      #expect(screen.shown[0].hasPrefix("for <redacted>"))
    }
    mayEnd.fire()
    await showing.value
    #expect(!screen.hasShown("s3cret"))
  }

  @Test func `a group has its counts and a step its line, and nothing is left at the end`() async {
    let (screen, arrived, mayEnd) = (Screen(), Tally(), Signal())
    let progress = progress(screen)
    let run = Flow("Publish").set(Self.items, to: Array(0..<8)).forEach(
      Self.items, width: 2, tolerating: .all, .named("photos")
    ) { item, _ in
      if item == 1 { throw TestError() }
      if item >= 4 {
        await arrived.add(thenAwait: mayEnd)
      }
    }.start()
    let showing = Task { await progress.follow(run) }
    await arrived.reach(2)
    while screen.shown.count != 2 || !screen.shown[1].contains("4 of 8") { await Task.yield() }
    #expect(screen.shown[0].hasPrefix("Publish "))
    #expect(screen.shown[1].hasPrefix("  photos  ██████████░░░░░░░░░░  4 of 8  1 failed  "))
    progress.print("a line of the program's own")
    while screen.shown.count != 3 { await Task.yield() }
    #expect(screen.shown[0] == "a line of the program's own" && screen.shown[2].hasPrefix("  photos"))
    mayEnd.fire()
    await showing.value
    #expect(screen.shown == ["a line of the program's own"])
  }

  @Test func `anything but a terminal gets a plain line for each quarter`() async {
    let screen = Screen()
    // The record of so few items has all events, even for a follower that starts late.
    let run = Flow("Publish").set(Self.items, to: Array(0..<100)).forEach(
      Self.items, width: 2, .named("photos\u{1B}[2J\n")
    ) { _, _ in }.start()
    await progress(screen, isInteractive: false).follow(run)
    #expect(screen.shown.count == 4)
    for (line, count) in zip(screen.shown, [25, 50, 75, 100]) {
      #expect(line.hasPrefix("photos\\u{1B}[2J\\n  \(count) of 100 "), "\(line)")
    }
  }

  @Test(arguments: [
    (["TERM": "xterm"], false), (["TERM": "xterm", "NO_COLOR": "1"], true), (["TERM": "dumb"], true), ([:], true),
    (["TERM": "xterm", "CI": "true"], true), (["TERM": "xterm", "CI": "false", "NO_COLOR": ""], false),
  ]) func `the environment can ask for plain lines`(environment: [String: String], isPlain: Bool) {
    #expect(TerminalOutput.asksForPlainLines(environment) == isPlain)
  }

  @Test func `a file is no terminal`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("progress-\(UUID())")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = TerminalOutput.file(try FileHandle(forWritingTo: file), environment: ["TERM": "xterm"])
    output.write("written")
    #expect(!output.isInteractive && output.window() == TerminalWindow())
    #expect(try String(contentsOf: file, encoding: .utf8) == "written")
  }

  @Test func `lines fit into the window, with wide characters`() async {
    #expect(DisplayWidth.of("abc") == 3 && DisplayWidth.of("日本") == 4 && DisplayWidth.of("👩‍👩‍👧") == 2)
    #expect(DisplayWidth.of("e\u{301}") == 1)
    #expect(DisplayWidth.cut("日本語", to: 5) == "日本…" && DisplayWidth.cut("日本語", to: 6) == "日本語")
    #expect(DisplayWidth.cut("日本語", to: 4) == "日…" && DisplayWidth.cut("abc", to: 0) == "")
    var work = RunningWork()
    for number in 0..<40 {
      let run = Flow("f").add(String(repeating: "長", count: 60)) { _ in }
      let events = await run.run().report.events
      for event in events where event.kind == .started { work.add(event) }
      #expect(work.steps.count == 1, "\(number)")
    }
    let lines = ProgressLines(name: String(repeating: "x", count: 300), work: work, now: Date())
      .fitting(TerminalWindow(columns: 40, rows: 2))
    #expect(lines.count == 1 && lines.allSatisfy { DisplayWidth.of($0) <= 39 })
  }

  @Test func `what is running is as the record says, for a group with retries`() async {
    let outcome = await Flow("f").set(Self.items, to: Array(0..<10)).forEach(
      Self.items, width: 3, tolerating: .all, .named("g"), .retry(.attempts(2))
    ) { item, context in
      if item == 3 || context.attempt == 1 && item == 4 { throw TestError() }
    }.run()
    var work = RunningWork()
    var most = 0
    for event in outcome.report.events {
      work.add(event)
      guard let group = work.groups[0] else { continue }
      most = max(most, group.runningCount)
      if group.doneCount == 10 { #expect(group.failedCount == 1 && group.runningCount == 0) }
    }
    #expect(most >= 1 && most <= 3 && work.groups.isEmpty && work.ending == .successfully)
  }

  @Test func `one who follows late counts the items whose ends the record has left out`() throws {
    var work = RunningWork()
    for event in try SampleRecords.leftOut.events.prefix(while: { $0.number < 25 }) { work.add(event) }
    let group = try #require(work.groups[0])
    #expect(group.doneCount == 12 && group.total == 12 && group.runningCount == 0)
  }

  @Test func `a resumed run counts what an earlier process has done, and its rate doesn't`() async throws {
    let items = FlowKey<[Int]>("items")
    let (reached, mayEnd) = (Signal(), Signal())
    let flow = {
      Flow("Upload").set(items, to: Array(0..<10)).forEach(items, width: 1) { item, _ async in
        if item == 9 {
          reached.fire()
          await mayEnd.wait()
        }
      }
    }
    mayEnd.fire()
    let cut = try await flow().cut(settled: 9)
    var work = RunningWork()
    let run = flow().start(id: "a", in: cut)
    for await event in run.events {
      work.add(event)
      guard event.kind == .started, let group = work.groups[0] else { continue }
      #expect(group.total == 10 && group.doneCount == group.earlierCount && group.earlierCount >= 8)
      let lines = ProgressLines(name: "Upload", work: work, now: group.since.addingTimeInterval(1))
      #expect(lines.line(group).contains("\(group.doneCount) of 10") && !lines.line(group).contains("/s"))
      break
    }
    #expect(await run.outcome.isSuccess && !work.groups.isEmpty)
  }

  @Test func `the steps within a running one are below it, and further in`() async {
    let (first, second, mayEnd) = (Signal(), Signal(), Signal())
    // Cases and branches have no lines, and branches have larger numbers than the steps in them.
    let run = Flow("Album").set("kind", to: "photos")
      .parallel("prepare") {
        $0.branch("a") { $0.add("scan") { _ in await first.fire(thenAwait: mayEnd) } }
        $0.branch("b") {
          $0.cases(on: "kind" as FlowKey<String>) { cases in
            cases.when("photos") {
              $0.add(flow: Flow("inner").add("sort") { _ in await second.fire(thenAwait: mayEnd) })
            }
          }
        }
      }.start()
    await first.wait()
    await second.wait()
    let record = run.record
    var work = RunningWork()
    for event in record.events { work.add(event) }
    let parents = record.steps.reduce(into: [:]) { $0[$1.id] = $1.parent }
    let lines = ProgressLines(name: "Album", work: work, now: work.start ?? .now, parents: parents)
      .fitting(TerminalWindow(columns: 80, rows: 24)).map { $0.replacing(#/ {2}[0-9].*/#, with: "") }
    #expect(Set(lines) == ["Album 0 s", "  prepare", "    scan", "    inner", "      sort"], "\(lines)")
    #expect(lines.firstIndex(of: "      sort") == lines.firstIndex(of: "    inner").map { $0 + 1 })
    mayEnd.fire()
    _ = await run.outcome
  }

  @Test func `the journal of a durable run is shown while it is read`() {
    let lines = ProgressLines(name: "Upload", work: RunningWork(), now: .now, isOpening: true)
    #expect(lines.fitting(TerminalWindow(columns: 80, rows: 24)) == ["Upload, reads its journal"])
  }
}
