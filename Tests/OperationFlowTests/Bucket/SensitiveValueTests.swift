import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Checks that no text of a record contains a sensitive value, whatever its type, and wherever it was written.
@Suite(.watched) struct SensitiveValueTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private struct Nested<Value: Sendable>: Sendable { let value: Value }

  private enum Login: Sendable { case byToken(String, since: Date), anonymous }

  private struct Hexadecimal: CustomStringConvertible, Sendable {
    let number: UInt32
    var description: String { "0x" + String(number, radix: 16) }
  }

  /// Returns all texts of a record.
  private static func text(_ record: FlowRecord) throws -> String {
    String(decoding: try JSONEncoder().encode(record), as: UTF8.self) + record.summary()
  }

  /// Returns true if the record of a run shows `text` in its error, lines or names.
  ///
  /// The run has `value`, in one of two cases only until the step starts.
  private static func shows<Value: Sendable>(_ text: String, _ key: FlowKey<Value>, _ value: Value) async throws -> Bool
  {
    for isOverwritten in [false, true] {
      let flow = Flow("f").set(key, to: value).add("uses \(text)") { context in
        if isOverwritten && key.isSensitive { context[key] = nil }
        context.log("uses \(text)")
        throw Refusal(description: "refused \(text)")
      }
      // The encoder escapes slashes.
      let shown = try Self.text(await flow.run().report.record).replacingOccurrences(of: "\\/", with: "/")
      if shown.contains(text) { return true }
    }
    return false
  }

  private static func check<Value: Sendable>(
    _ value: Value, _ texts: String..., line: SourceLocation = #_sourceLocation
  ) async throws {
    for text in texts {
      for key in [FlowKey<Value>("k", sensitive: true), FlowKey<Value>("accessToken")] {
        #expect(try await !shows(text, key, value), "\(Value.self) under \(key)", sourceLocation: line)
      }
      #expect(try await shows(text, FlowKey<Value>("k"), value), "the test has to find it", sourceLocation: line)
    }
  }

  @Test func `a value of any standard type is hidden, under a declared key as under a name`() async throws {
    let (id, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 123_456_789))
    try await Self.check("topsecret1", "topsecret1")
    try await Self.check("topsecret2 ".dropLast(), "topsecret2")
    try await Self.check(id, id.uuidString)
    try await Self.check(date, "\(date)")
    try await Self.check(Int64(987_654_321_987), "987654321987")
    try await Self.check(UInt64.max, "\(UInt64.max)")
    try await Self.check(UInt32(987_654_321), "987654321")
    try await Self.check(98765.4321, "98765.4321")
    try await Self.check(Float(9876.54), "9876.54")
    try await Self.check(Decimal(string: "98765.4321") ?? 0, "98765.4321")
    let url = try #require(URL(string: "https://ann:p%40ssword1@example.com/a?token=querysecret3"))
    try await Self.check(url, url.absoluteString, "p@ssword1", "p%40ssword1", "querysecret3")
    try await Self.check(Optional("topsecret4"), "topsecret4")
  }

  @Test func `so are the parts of a value, however deep, and its own text`() async throws {
    let id = UUID()
    try await Self.check(Set(["setsecret6"]), "setsecret6")
    try await Self.check(["keysecret5": 1], "keysecret5")
    try await Self.check([id: [UInt16(7): "valuesecret7"]], id.uuidString, "valuesecret7")
    try await Self.check(Login.byToken("casesecret8", since: .distantPast), "casesecret8")
    try await Self.check(Hexadecimal(number: 0xFEED_BEEF), "0xfeedbeef", "\(0xFEED_BEEF)")
    try await Self.check([Hexadecimal(number: 0xFEED_BEEF)], "0xfeedbeef")
    try await Self.check(Nested(value: 12), "Nested<Int>(value: 12)")
    let deep = Nested(value: Nested(value: Nested(value: Nested(value: Nested(value: Nested(value: "deepsecret9"))))))
    try await Self.check(deep, "deepsecret9")
  }

  private final class WritingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { WritingOp() }
    @FlowInput var word: String
    override func run() async throws {
      setData(name: FlowKey<[String]>("seen", sensitive: true), value: ["itemsecret77"])
      setData(name: FlowKey<[String]>("seen", sensitive: true), value: nil)
      throw Refusal(description: "refused itemsecret77")
    }
  }

  @Test func `what the operation of an item writes is hidden in its error`() async throws {
    let words = FlowKey<[String]>("words")
    let outcome = await Flow("f").set(words, to: ["a"])
      .forEach(words, into: FlowKey<[Int]>("o"), tolerating: .all, run: WritingOp.self).run()
    #expect(try !Self.text(outcome.report.record).contains("itemsecret77"))
    #expect(outcome.report.itemFailures.count == 1)
  }

  @Test(arguments: [FlowKey<[String]>("outs", sensitive: true), "tokens"])
  func `the outputs of a group that failed, or is at work, are hidden`(key: FlowKey<[String]>) async throws {
    let (reached, release) = (Signal(), Signal())
    let run = Flow("f").forEach(in: 1...3, into: key, width: 1) { (item: Int, context: FlowContext) -> String in
      context.log("got outsecret\(item)")
      guard item == 3 else { return "outsecret\(item)" }
      await reached.fire(thenAwait: release)
      throw Refusal(description: "no")
    }.start()
    await reached.wait()
    #expect(try !Self.text(run.record).contains("outsecret1"))
    release.fire()
    #expect(try !Self.text(await run.outcome.report.record).contains("outsecret2"))
  }

  @Test func `a value that was replaced before the run, or while nothing is recorded, is hidden`() async throws {
    let key = FlowKey<String>("k", sensitive: true)
    let flow = Flow("f").recording(.none).setData(name: key, value: "firstsecret").setData(
      name: key, value: "second-secret"
    )
    .add("a") { context in
      context[key] = "third"
      throw Refusal(description: "neither firstsecret nor second-secret")
    }
    flow.log(message: "not firstsecret")
    #expect(try !Self.text(flow.record).contains("firstsecret"))
    let text = try Self.text(await flow.run().report.record)
    #expect(!text.contains("firstsecret") && !text.contains("second-secret") && text.contains("neither"))
  }

  @Test(arguments: [FlowRecording.none, .bounded(first: 0, last: 0), .everything])
  func `a replaced value of a name that the rule redacts is hidden, whatever the record keeps`(
    recording: FlowRecording
  ) async throws {
    let flow = Flow("f").recording(recording).set("apiToken", to: "givensecret").add("a") { context in
      context["apiToken"] = "firstsecret"
      context["copies"] = "copies of givensecret and firstsecret"
      context["apiToken"] = String?.none
    }
    let text = try Self.text(await flow.run().report.record)
    #expect(!text.contains("givensecret") && !text.contains("firstsecret") && text.contains("copies of"))
    let work = Work {
      $0.setData(name: "apiToken", value: "worksecret")
      $0.finishWithError(error: Refusal(description: "copy of worksecret"))
    }
    let failed = try Self.text(await Flow.group([work]).recording(recording).run().report.record)
    #expect(!failed.contains("worksecret") && failed.contains("copy of"))
  }

  @Test func `a value that was set without an event is hidden if its name is marked after the end`() async throws {
    let flow = Flow("f").add("a") { [name = "note"] context in
      context.log("writes")
      context[FlowKey<[String]>(name)] = ["notesecret"]
      throw Refusal(description: "bad notesecret")
    }
    flow.recording(.none)
    let run = flow.start()
    _ = await run.outcome
    flow.dataBucket = [:]
    flow.markSensitive("note")
    #expect(!flow.generateSummary().contains("notesecret") && flow.generateSummary().contains("bad"))
  }

  /// A dispatcher whose own items are sensitive.
  private struct SecretDispatcher: FlowGroupDispatcher {
    let maxConcurrentOperationCount = 1
    let allowFailure = true

    func items(in bucket: DataBucket) throws -> FlowGroupItems {
      FlowGroupItems(["itemsecret1", "itemsecret2"], name: "things", sensitive: true)
    }
    func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) -> FlowOperation {
      BlockOp("item") {
        $0.log(message: "looks at \(item)")
        // Only one item fails: the record of a failure could mark its item as sensitive by itself.
        if index == 0 { $0.finishWithError(error: Refusal(description: "no \(item)")) } else { $0.finishSuccessfully() }
      }
    }
    func collect(_ results: FlowGroupResults) -> [String: any Sendable] { [:] }
  }

  @Test func `items that a dispatcher calls sensitive are hidden in every text`() async throws {
    let flow = Flow("f").addGrouped(operationCreator: SuccessOp.self, dispatcher: SecretDispatcher())
    let report = await flow.run().report
    let text = try Self.text(report.record) + "\(report.itemFailures)"
    #expect(report.itemFailures.count == 1 && !text.contains("itemsecret") && text.contains("looks at"))
  }

  @Test func `printing an outcome, a report or a failure hides a secret that an error's text has`() async throws {
    let token = FlowKey<String>("k", sensitive: true)
    let flow = Flow("f").set(token, to: "tokensecret")
      .forEach(in: 0..<2, tolerating: .all) { (_: Int, _) in throw Refusal(description: "401 for tokensecret") }
      .add("fails") { _ in throw Refusal(description: "402 for tokensecret") }
      .always("end") { $0.add("last") { _ in throw Refusal(description: "403 for tokensecret") } }
    let outcome = await flow.run()
    var texts = "\(outcome) \(outcome.report) \(outcome.report.itemFailures) \(outcome.report.failure as Any) "
    dump(outcome, to: &texts)
    dump(outcome.report.itemFailures, to: &texts)
    #expect(!texts.contains("tokensecret"), "\(texts)")
    #expect(texts.contains("401 for <redacted>") && texts.contains("402 for <redacted>"), "\(texts)")
    #expect(outcome.error as? Refusal != nil, "the error itself is the user's")
  }

  @Test func `nor does one of the library's own errors, about a key that isn't sensitive`() async throws {
    let token = FlowKey<String>("k", sensitive: true)
    let flow = Flow("f").set(token, to: "tokensecret").set("copy", to: "Bearer tokensecret")
      .add("fails") { _ = try $0.require("copy" as FlowKey<Int>) }
      .always("end") { $0.add("last") { _ = try $0.require("copy" as FlowKey<Int>) } }
    let outcome = await flow.run()
    let (failure, failures) = (try #require(outcome.report.failure), outcome.report.alwaysFailures)
    var texts = "\(failure) \(failures)"
    dump(failure, to: &texts)
    #expect(!texts.contains("tokensecret") && failures.count == 1, "\(texts)")
    #expect(texts.contains("<copy> in data bucket is <Bearer <redacted>> with type <String>"), "\(texts)")
    #expect(!"\(failure.error) \(outcome.error as Any)".contains("tokensecret"))
  }

  @Test func `a failure that is dumped hides a secret that the user's error has`() async {
    let token = FlowKey<String>("k", sensitive: true)
    let flow = Flow("f").set(token, to: "tokensecret").add("fails") { _ in
      throw Refusal(description: "401 for tokensecret")
    }
    var text = ""
    dump(await flow.run().report.failure, to: &text)
    #expect(!text.contains("tokensecret") && text.contains("401 for <redacted>"), "\(text)")
  }

  @Test func `nor does it show a secret that the flow or a step is named after`() async throws {
    let account = FlowKey<String>("account", sensitive: true)
    let outcome = await Flow("Import for s3cret-account").set(account, to: "s3cret-account")
      .add("read s3cret-account", .reads(account)) { _ in throw Refusal(description: "s3cret-account is closed") }
      .run()
    var texts = "\(outcome) \(outcome.report) \(outcome.report.steps) \(outcome.report.steps.map(\.path))"
    dump(outcome, to: &texts)
    dump(outcome.report, to: &texts)
    #expect(!texts.contains("s3cret"), "\(texts)")
    #expect(texts.contains("Import for <redacted>") && texts.contains("1. read <redacted>"))
    #expect(outcome.report.flowName == "Import for <redacted>")
  }

  @Test func `no failed item shows it, however many failed before, nor what a step is called after it`() async {
    let token = FlowKey<String>("k", sensitive: true)
    let outcome = await Flow().set(token, to: "tokensecret")
      .forEach(in: 0..<1_003, tolerating: .all) { (_: Int, _) in throw Refusal(description: "401 for tokensecret") }
      .forEach(in: ["tokensecret"], tolerating: .all) { (_: String, _) in throw TestError() }
      .add("uses tokensecret") { _ in throw TestError() }
      .run()
    let failures = outcome.report.itemFailures
    #expect(failures.count == 1_004)
    let texts = failures.map { "\($0)" } + ["\(outcome.report.failure as Any)"]
    #expect(texts.allSatisfy { !$0.contains("tokensecret") && $0.contains("<redacted>") }, "\(texts.suffix(4))")
  }
}
