import Foundation
import OperationFlow
import TestSupport
import Testing

enum EventsAndProgress {
  static func watch(_ flow: Flow, print: Printer) async {
    let run = flow.start()
    for await event in run.events {
      switch event.kind {
      case .started: print(event.source, "starts")
      case .finished(let finish): print(event.source, "ends:", finish)
      case .warned(let text): print(event.source, "warns:", text)
      default: break
      }
    }
  }

  static func observe(_ flow: Flow, print: Printer) {
    flow.observe { event in
      if case .replaced(let name, let old, let new) = event.kind { print(name, old, new) }
    }
  }

  static func bound(_ flow: Flow) {
    flow.recording(.bounded(first: 100, last: 100))
  }

  static func summaries(of flow: Flow, print: Printer) async {
    let outcome = await flow.run()
    print(outcome.report.summary)
    print(outcome.report.summary(style: FlowSummaryStyle(timeStyle: .milliseconds, timeZone: .gmt)))
  }

  static func forms(of outcome: FlowOutcome, print: Printer) {
    print(outcome.report.summary(style: .brief))
    print(outcome.report.summary(style: .detailed))
  }

  static func record(of flow: Flow, print: Printer) async throws {
    let outcome = await flow.run()
    let record = outcome.report.record
    let saved = try JSONEncoder().encode(record)
    let loaded = try JSONDecoder().decode(FlowRecord.self, from: saved)
    print(loaded.summary(style: .brief), loaded.cause?.problem ?? "no failure")
  }

  static func hide(_ flow: Flow) {
    flow.redaction(.standard.adding("iban", "social security number").excluding("pin"))
  }

  static func diagnose(_ run: FlowRun, print: Printer) {
    print(run.diagnosis())
  }

  static func sendLog(of flow: Flow, print: Printer) {
    flow
      .sendLog(to: .standardError, from: .warning)
      .sendLog(to: .closure { line in print("\(line.level) \(line.source) \(line.message)") })
  }

  final class ScanOp: FlowOperation, @unchecked Sendable {
    @FlowOutput(.pages) var pages

    override func run() async throws {
      pages = ["a", "b"]
    }
  }

  static func waiting(_ run: FlowRun, print: Printer) {
    for waiting in run.waitingFor {
      print(waiting.source, waiting.since, waiting.reason)
    }
  }

  static func progress(print: Printer) async {
    let flow = Flow("Import")
      .add(ScanOp())
      .forEach(.pages, width: 2, .weight(8)) { page, context in
        context.reportProgress(0.5)
        try await convert(page)
      }
    let run = flow.start()
    let progress = run.progress
    _ = await run.outcome
    print(progress.fractionCompleted)
  }
}

private struct DocumentError: Error {}

@Suite(.watched) struct EventsAndProgressTests {
  private typealias Article = EventsAndProgress

  @Test func `events are watched as they come`() async {
    let print = Printer()
    await Article.watch(Flow().add("a") { _ in }.add("b") { _ in throw NoUser() }, print: print)
    #expect(
      print.texts == ["[a] starts", "[a] ends: successfully", "[b] starts", #"[b] ends: withError("NoUser()")"#])
  }

  @Test func `every subscriber sees the whole record, also after the end`() async {
    let run = Flow().forEach(in: 0..<100, width: 4) { _, _ in }.start()
    async let early = run.events.reduce(into: []) { $0.append("\($1.source) \($1.kind)") }
    let report = await run.outcome.report
    let late = await run.events.reduce(into: []) { $0.append("\($1.source) \($1.kind)") }
    #expect(late == report.events.map { "\($0.source) \($0.kind)" })
    #expect(await early == late)
    #expect(zip(report.events, report.events.dropFirst()).allSatisfy { $0.date <= $1.date })
  }

  @Test func `a subscriber whose task is cancelled ends`() async {
    let mayGoOn = Signal()
    let hasEvent = Signal()
    let run = Flow().add("a") { _ in await mayGoOn.wait() }.start()
    let subscriber = Task { for await _ in run.events { hasEvent.fire() } }
    await hasEvent.wait()
    subscriber.cancel()
    await subscriber.value
    #expect(run.currentOutcome == nil)
    mayGoOn.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `an observer is told in the thread of the event`() async {
    let print = Printer()
    let flow = Flow().set(.user, to: "ann").add("rename") { $0.set(.user, to: "ben") }
    Article.observe(flow, print: print)
    for _ in 1...2 { _ = await flow.run() }
    #expect(print.texts == ["user ann ben", "user ann ben"])
  }

  @Test func `summaries have styles`() async {
    let print = Printer()
    let flow = Flow().add("a") { _ in }
    await Article.summaries(of: flow, print: print)
    #expect(print.texts.first == flow.generateSummary())
    #expect(print.texts.last?.contains(#/\n\d\d:\d\d:\d\d\.\d{3} \[a\] WillStart\n/#) == true)
  }

  @Test func `a record is saved and loaded, and hides what looks like a secret`() async throws {
    let print = Printer()
    let flow = Flow("Publish").add("a") { _ in throw DocumentError() }
    Article.hide(flow)
    flow.setData(name: "userPIN", value: "471147")
    try await Article.record(of: flow, print: print)
    let outcome = await flow.run()
    Article.forms(of: outcome, print: print)
    #expect(print.texts.allSatisfy { $0.contains("DocumentError()") && !$0.contains("471147") })
    #expect(print.texts.count == 3 && outcome.report.summary.contains("userPIN: <redacted>"))
  }

  @Test func `log lines are sent on as they happen`() async {
    let print = Printer()
    let flow = Flow("Logging").add("a") { context in
      context.log("debug", level: .debug)
      context.log("hello")
      #expect(print.texts.last == "info [a] hello")
    }
    Article.sendLog(of: flow, print: print)
    #expect(await flow.run().report.events.contains { $0.kind == .logged("debug", .debug) })
    #expect(print.texts == ["info [a] hello"])
  }

  @Test func `a run says what it waits for`() async {
    let (print, isWaiting) = (Printer(), Signal())
    let run = Flow().add("a") { _ in
      isWaiting.fire()
      await untilCancelled()
    }.start()
    await isWaiting.wait()
    Article.waiting(run, print: print)
    #expect(print.texts.count == 1 && print.texts.allSatisfy { $0.hasPrefix("[a] ") && $0.hasSuffix(" work") })
    Article.diagnose(run, print: print)
    #expect(print.texts.last?.contains("  1. a runs, for ") == true)
    run.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `the fraction is one at the end of a success`() async {
    let print = Printer()
    await Article.progress(print: print)
    #expect(print.texts == ["1.0"])
  }

  @Test func `a step counts as much as its weight, and reports how far it is`() async {
    let isWatched = Signal()
    let hasReported = Signal()
    let mayGoOn = Signal()
    let run = Flow().add(Article.ScanOp()).add("long", .weight(8)) { context in
      await isWatched.wait()
      context.reportProgress(0.5)
      hasReported.fire()
      await mayGoOn.wait()
      throw NoUser()
    }
    .start()
    let progress = run.progress
    isWatched.fire()
    await hasReported.wait()
    #expect(abs(progress.fractionCompleted - 5 / 9) < 0.001)
    mayGoOn.fire()
    #expect(await run.outcome.error is NoUser)
    #expect(abs(progress.fractionCompleted - 5 / 9) < 0.001)
  }
}
