import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct LogHandlerTests {
  private func flow(_ name: String = "Flow") -> Flow {
    Flow(name)
      .add("levels") { context in
        context.log("d", level: .debug)
        context.log("i")
        context.log("w", level: .warning)
        context.log("e", level: .error)
      }
      .step("op") { operation in
        operation.log(message: "from an operation", level: .error)
        operation.finishSuccessfully()
      }
  }

  private func lines(from level: FlowLogLevel?) async -> [String] {
    let lines = Journal<String>()
    let handler = FlowLogHandler.closure { lines.append("\($0.level) \($0.source) \($0.message)") }
    let flow = flow()
    if let level { flow.sendLog(to: handler, from: level) } else { flow.sendLog(to: handler) }
    #expect(await flow.run().isSuccess)
    return lines.entries
  }

  private let all = [
    "debug [levels] d", "info [levels] i", "warning [levels] w", "error [levels] e", "error [op] from an operation",
  ]

  @Test(arguments: FlowLogLevel.allCases) func `lines of a level and above are sent on`(level: FlowLogLevel) async {
    #expect(await lines(from: level) == Array(all.dropFirst(level.rawValue)))
  }

  @Test func `from info on unless said otherwise`() async {
    #expect(await lines(from: nil) == Array(all.dropFirst()))
  }

  @Test func `levels are in order`() {
    #expect(FlowLogLevel.allCases == [.debug, .info, .warning, .error])
    #expect(FlowLogLevel.allCases.sorted() == FlowLogLevel.allCases)
  }

  @Test func `a line has its time, and comes as it happens`() async {
    let (lines, before) = (Journal<FlowLogLine>(), Date())
    _ = await Flow().sendLog(to: .closure { lines.append($0) })
      .add("step") { context in
        context.log("now")
        #expect(lines.entries.count == 1)
      }
      .run()
    let date = lines.entries.first?.date ?? .distantPast
    #expect(date >= before && date <= Date())
  }

  @Test func `an item's lines say which it is, and lines come one at a time`() async {
    let (lines, telling) = (Journal<String>(), Counter())
    let handler = FlowLogHandler.closure { line in
      telling.enter()
      lines.append("\(line.source)")
      telling.leave()
    }
    _ = await Flow().sendLog(to: handler).forEach(in: 0..<50, width: 5) { _, context in context.log("line") }.run()
    #expect(Set(lines.entries) == Set((1...50).map { "[forEach #\($0)]" }))
    #expect(lines.entries.count == 50)
    #expect(telling.peak == 1)
  }

  @Test func `the flow's own lines and its warnings are sent on, from before the start as well`() async {
    let lines = Journal<String>()
    let flow = Flow().sendLog(to: .closure { lines.append("\($0.level) \($0.source) \($0.message)") })
    flow.log(message: "early", level: .error)
    _ = await flow.step("twice") {
      $0.finishSuccessfully()
      $0.finishSuccessfully()
    }.run()
    #expect(lines.entries.first == "error [Flow] early")
    #expect(lines.entries.dropFirst() == ["warning [twice] finished again: ignored (successfully)"])
  }

  @Test func `several handlers each have their level`() async {
    let (errors, all) = (Counter(), Counter())
    _ = await flow().sendLog(to: .closure { _ in errors.enter() }, from: .error)
      .sendLog(to: .closure { _ in all.enter() }, from: .debug).run()
    #expect(errors.total == 2)
    #expect(all.total == 5)
  }

  @Test func `values, successes and cancelled steps are not lines`() async {
    let lines = Counter()
    let flow = Flow().sendLog(to: .closure { _ in lines.enter() }, from: .debug)
      .add("step") { $0["a"] = 1 }.forEach(in: 0..<3) { _, _ in }
      .add("cancelled") { _ in throw CancellationError() }
    #expect(await flow.run().isCancelled)
    #expect(lines.total == 0)
  }
}

#if os(Linux) || os(macOS)
  @Suite(.watched) struct StandardErrorTests {
    @Test func `lines go to standard error, each one line with time, level and source`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        _ = await Flow().sendLog(to: .standardError, from: .debug)
          .add("step") { context in
            context.log("first", level: .debug)
            context.log("second\n2026-01-31T16:17:18Z info [step] forged\u{1B}[2K", level: .error)
          }
          .forEach(in: 0..<1) { _, context in context.log("third") }
          .run()
      }
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      let lines = text.split(separator: "\n").filter { $0.contains("[step]") || $0.contains("[forEach #1]") }
      let line = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (\w+ \[.*)/
      let endings = lines.compactMap { try? line.wholeMatch(in: $0)?.1 }
      let escaped = #"error [step] second\n2026-01-31T16:17:18Z info [step] forged\u{1B}[2K"#
      #expect(endings == ["debug [step] first", Substring(escaped), "info [forEach #1] third"])
    }

    @Test func `it is off unless it is asked for`() async throws {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
      ) {
        _ = await Flow().add("step") { context in context.log("unwanted", level: .error) }.run()
      }
      let exit = try #require(result)
      for content in [exit.standardErrorContent, exit.standardOutputContent] {
        #expect(!String(decoding: content, as: UTF8.self).contains("unwanted"))
      }
    }

    #if os(Linux)
      @Test func `if there is no unified log, its lines go to standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
          _ = await Flow().sendLog(to: .unifiedLog(subsystem: "test")).add("step") { $0.log("unified") }.run()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("info [step] unified"))
      }
    #endif
  }
#endif
