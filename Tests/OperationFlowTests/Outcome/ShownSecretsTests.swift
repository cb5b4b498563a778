import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// A secret is in no text of a run, in whatever names and texts users put it.
@Suite(.watched) struct ShownSecretsTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static let (secret, shown) = ("hunter2-secret", "<redacted>")
  private static let token = FlowKey<String>("zz1", sensitive: true)
  private static let photos = FlowKey<[String]>("photos")

  private static func refusal() -> Refusal { Refusal(description: "no \(secret)") }

  /// Returns a flow with the secret in its name and in its data.
  private static func flow() -> Flow { Flow("F of \(secret)").set(token, to: secret) }

  /// Returns the texts of a value: printed and dumped, alone and within another value.
  private static func texts(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \([value]) \(dumped)"
  }

  /// Expects that each value hides the secret, and shows that something is hidden.
  private static func expectHidden(
    _ values: KeyValuePairs<String, Any?>, line: SourceLocation = #_sourceLocation
  ) throws {
    for (what, value) in values {
      let text = texts(try #require(value, "there is no \(what)", sourceLocation: line))
      #expect(!text.contains(secret), "\(what) shows the secret: \(text)", sourceLocation: line)
      #expect(text.contains(shown), "\(what) hides too much: \(text)", sourceLocation: line)
    }
  }

  /// Expects that all texts of a report hide the secret.
  private static func expectHidden(_ outcome: FlowOutcome, line: SourceLocation = #_sourceLocation) throws {
    let (report, record) = (outcome.report, outcome.report.record)
    try expectHidden(
      [
        "outcome": outcome, "report": report, "name": report.flowName, "events": report.events,
        "steps": report.steps, "summary": report.summary,
        "brief summary": report.summary(style: .brief),
        "record": String(decoding: try JSONEncoder().encode(record), as: UTF8.self),
        "detailed summary": record.summary(style: .detailed),
        "page": record.page.replacing("&lt;redacted&gt;", with: shown),
      ], line: line)
  }

  @Test func `a run that fails hides it in its failure, its undos, its recoveries and its failed items`() async throws {
    let key = FlowKey<Int>("size of \(Self.secret)")
    let outcome = await Self.flow().set(Self.photos, to: ["photo of \(Self.secret)", "b"])
      .add("store \(Self.secret)", .undo { _ in throw Self.refusal() }) { context in
        context[key] = 1
        context.log("stored \(Self.secret)")
      }
      .add("send \(Self.secret)", .recover { _, _ in }) { _ in throw Self.refusal() }
      .add(
        flow: Flow("each \(Self.secret)")
          .forEach(Self.photos, tolerating: .all, .named("photo of \(Self.secret)")) { _, _ in throw Self.refusal() }
      )
      .add("fail \(Self.secret)") { _ in throw Self.refusal() }
      .always { $0.add("close \(Self.secret)") { _ in throw Self.refusal() } }
      .run()
    try Self.expectHidden(outcome)
    let report = outcome.report
    try Self.expectHidden([
      "failure": report.failure?.description, "path of the failure": report.failure?.path,
      "name of the failure": report.failure?.name, "undo": report.undos.first,
      "path of the undo": report.undos.first?.path,
      "recovery": report.recoveries.first, "path of the recovery": report.recoveries.first?.path,
      "failure at the end": report.alwaysFailures.first, "its path": report.alwaysFailures.first?.path,
      "failed item": report.itemFailures.first, "name of the item": report.itemFailures.first?.name,
      "path of the item": report.itemFailures.first?.path,
    ])
    #expect(!report.events.map { "\($0.path as Any)" }.joined().contains(Self.secret))
    // Only the texts hide something: the values, and the step of each failure, are there.
    #expect(report[Self.token] == Self.secret && report[key] == 1)
    #expect(report.record.itemFailures.allSatisfy { $0.step != nil } && report.record.ending?.failure?.step != nil)
  }

  @Test func `a run that is cancelled hides it in the cause`() async throws {
    let outcome = await Self.flow().add("upload \(Self.secret)") { _ in throw CancellationError() }.run()
    try Self.expectHidden(outcome)
    guard case .step(let name, let path, _)? = outcome.report.cancellation else {
      Issue.record("the step is the cause")
      return
    }
    #expect(name == "[upload <redacted>]" && path?.description == "1. upload <redacted>")
    try Self.expectHidden(["cancellation": outcome.report.cancellation, "error": outcome.error])
  }

  @Test func `a run that ends early hides it in what the keys held`() async throws {
    let outcome = await Self.flow().set(FlowKey<String>("kind"), to: "of \(Self.secret)")
      .cases(on: FlowKey<String>("kind")) { $0.when("film") { $0.add("a") { _ in } } }
      .add("after \(Self.secret)") { _ in }.run()
    try Self.expectHidden(outcome)
    try Self.expectHidden(["early end": outcome.report.earlyEnds.first])
  }

  @Test func `an error of the library hides it in its texts and its place`() async throws {
    let outcome = await Self.flow().add("read \(Self.secret)") { context in
      _ = try context.require(FlowKey<Int>("size of \(Self.secret)"))
    }.run()
    try Self.expectHidden(outcome)
    let error = try #require(outcome.error as? FlowError)
    try Self.expectHidden([
      "error": error, "problem": error.problem, "step": error.step, "path": error.path, "key": error.key,
      "error of the failure": outcome.report.failure?.error,
    ])
    #expect(error.code == .missingData)
  }

  @Test func `the outputs of a group that did not complete are dumped as hidden`() async throws {
    let outcome = await Flow("f").forEach(in: [1, 2], into: FlowKey<[String]>("outs", sensitive: true), width: 1) {
      (item: Int, _) -> String in
      if item == 2 { throw Refusal(description: "no") }
      return Self.secret
    }.run()
    try Self.expectHidden(["steps": outcome.report.steps])
    #expect(outcome.report.steps.first?.partialOutputs[0] as? String == Self.secret)
  }

  @Test func `a run under way hides it in whatever it waits for, and when it is dumped`() async throws {
    let (reached, release) = (Signal(), Signal())
    let contexts = Journal<String>()
    let run = Self.flow().add("wait \(Self.secret)") { context in
      context.log("has \(Self.secret)")
      contexts.append(Self.texts(context))
      await reached.fire(thenAwait: release)
    }.start()
    await reached.wait()
    try Self.expectHidden([
      "waiting": run.waitingFor, "path": run.waitingFor.first?.path, "run": run, "bucket": run.bucket,
      "diagnosis": run.diagnosis(), "record": run.record.summary(),
    ])
    #expect(contexts.entries.count == 1 && contexts.entries.allSatisfy { !$0.contains(Self.secret) })
    var events = ""
    dump(run.events, to: &events)
    #expect(!events.contains(Self.secret))
    release.fire()
    _ = await run.outcome
  }

  @Test func `a flow and its problems hide it before the run`() throws {
    let flow = Self.flow().add("read \(Self.secret)", .reads(FlowKey<Int>("missing"))) { _ in }
    try Self.expectHidden(["flow": flow, "problems": flow.validate(), "path": flow.validate().last?.path])
  }

  @Test func `data hide it in the names and the texts of other values`() throws {
    _ = try Flow("f").validate { data in
      data[Self.token] = Self.secret
      data[FlowKey<String>("url of \(Self.secret)")] = "ann:\(Self.secret)"
      try Self.expectHidden(["data": data])
    }
  }

  @Test func `secrets that overlap in a text are hidden as one`() async throws {
    let outcome = await Flow("f").set(Self.token, to: "ann:hunter2")
      .set(FlowKey<String>("zz2", sensitive: true), to: "hunter2-production-key")
      .add("a") { $0.log("url is ann:hunter2-production-key.") }.run()
    #expect(outcome.report.summary.contains("url is <redacted>.\n"))
    #expect(!outcome.report.record.page.contains("production-key"))
  }
}
