import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct SecretsTests {
  private static let secret = "hunter2-s3cr3t"
  private static let password = FlowKey<String>("password", sensitive: true)
  private static let passwords = FlowKey<[String]>("passwords", sensitive: true)

  /// Returns flows that contain, read, write and fail with a sensitive value.
  private static func flows() -> [Flow] {
    let data = Flow("Secrets").set(password, to: secret).set(passwords, to: [secret, secret + "2"])
    return [
      data,
      Flow("Writes").add("write") { $0[password] = secret }.add("again") { $0[password] = secret + "3" },
      Flow("Items").set(passwords, to: [secret]).forEach(passwords, into: passwords) { item, _ in item },
      Flow("Failing items").set(passwords, to: [secret]).forEach(passwords, tolerating: .all) { _, _ in
        throw TestError(name: "odd")
      },
      Flow("Cases").set(password, to: secret).cases(on: password) {
        $0.when(secret) { $0.add("match") { _ in } }.otherwise { $0.add("other") { _ in } }
      },
      Flow("No case").set(password, to: secret).cases(on: password) { $0.when("x" + secret) { $0.add("a") { _ in } } },
      Flow("Mismatch").set(password, to: secret).add("reads") { context in
        _ = try context.require(FlowKey<Int>("password"))
      },
      Flow("Condition").set(password, to: secret).add("when", .when(password, is: "not " + secret)) { _ in },
      Flow("Marked late").setData(name: "token", value: secret).markSensitive("token").add("replace") {
        $0[FlowKey<String>("token")] = secret + "4"
      },
    ]
  }

  @Test func `no format contains a sensitive value`() async throws {
    for flow in Self.flows() {
      let record = await flow.run().report.record
      let texts = try Self.formats(of: record) + [flow.blueprint.mermaid, flow.blueprint.dot]
      for text in texts { #expect(!text.contains(Self.secret), "\(record.flowName): \(text)") }
      #expect(texts.contains { $0.contains("redacted") } || record.flowName == "Condition", "\(record.flowName)")
    }
  }

  private static func formats(of record: FlowRecord) throws -> [String] {
    [
      record.mermaid, record.dot, String(decoding: try record.jsonLines(), as: UTF8.self),
      String(decoding: record.traceEvents(), as: UTF8.self),
      String(decoding: record.openTelemetrySpans(), as: UTF8.self), FlowMetrics(record).prometheusText, record.page,
      record.summary(), record.summary(style: .brief), record.summary(style: .detailed),
    ]
  }

  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns a flow with the value of an undeclared key in every place to which data can get.
  private static func planted() -> Flow {
    Flow("run for \(secret)")
      .add("use \(secret)") { context in
        let password: String = try context.require("password")
        context["copy"] = "Bearer \(password)"
        context["list"] = [password, "public"]
        context[FlowKey<String>(password)] = "the name of a key"
        context.log("using \(password)")
      }
      .forEach(in: [secret, "other"], into: FlowKey<[String]>("outputs"), width: 1, tolerating: .all) { item, _ in
        if item == "other" { throw Refusal(description: "not \(secret)") }
        return item + "-output"
      }
      .forEach(in: [secret], tolerating: .all, .named("failing")) { item, _ in
        throw Refusal(description: "refused \(item)")
      }
      .parallel { $0.branch("branch of \(secret)") { $0.add("in it") { _ in } } }
      .add("fail") { _ in throw Refusal(description: "can't log in with \(secret)") }
  }

  @Test func `no format contains the value of a key that is named like a secret, wherever it went`() async throws {
    let record = await Self.planted().run { $0["password"] = Self.secret }.report.record
    for text in try Self.formats(of: record) { #expect(!text.contains(Self.secret), "\(text)") }
    // Without redaction every format contains the value, so the search above would find it.
    let shown = await Self.planted().redaction(.none).run { $0["password"] = Self.secret }.report.record
    for text in try Self.formats(of: shown) { #expect(text.contains(Self.secret)) }
  }

  @Test func `the events of a report and what is dumped of it hide what its record hides`() async {
    func texts(_ redaction: FlowRedaction) async -> [String] {
      let flow = Flow("Use").redaction(redaction).setData(name: "password", value: Self.secret)
        .add("use \(Self.secret)") { context in
          context["copy"] = "Bearer \(Self.secret)"
          context.log("using \(Self.secret)")
        }
        .forEach(in: [1], tolerating: .all) { _, _ in throw Refusal(description: "refused \(Self.secret)") }
        .add("fail") { _ in throw Refusal(description: "can't log in with \(Self.secret)") }
      let report = await flow.run().report
      var dumped = ""
      dump(report, to: &dumped)
      return ["\(report.events)", dumped]
    }
    for text in await texts(.standard) { #expect(!text.contains(Self.secret), "\(text)") }
    for text in await texts(.none) { #expect(text.contains(Self.secret)) }
  }

  @Test func `the events of a report hide an item that is sensitive wherever it went`() async {
    let report = await Flow("Items").set(Self.passwords, to: [Self.secret])
      .forEach(Self.passwords, tolerating: .all) { item, context in
        context.log("using \(item)")
        throw Refusal(description: "refused \(item)")
      }
      .add("remove") { $0[Self.passwords] = nil }
      .run().report
    #expect(!"\(report.events)".contains(Self.secret) && report.events.count == report.record.events.count)
  }

  private enum Rejection: Error {
    case of(key: String)
  }

  @Test func `no format contains a secret with line breaks or quotes, or the beginning of a long one`() async throws {
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n\"quoted\"\\\n-----END KEY-----"
    let token = "eyJhbGciOi" + String(repeating: "0123456789abcdef", count: 100)
    let flow = { (make: @escaping @Sendable () -> any Error) in
      Flow("Keys").setData(name: "privateKey", value: key).setData(name: "token", value: token)
        .forEach(in: [1], tolerating: .all) { _, _ in throw make() }
        .add("fail") { context in
          context.log("\(make())")
          throw make()
        }
    }
    let errors: [@Sendable () -> any Error] = [
      { Refusal(description: "can't read \(key)") }, { Rejection.of(key: key) },
      { Refusal(description: "bad token \(token)") }, { Rejection.of(key: token) },
    ]
    for error in errors {
      let record = await flow(error).run().report.record
      for text in try Self.formats(of: record) {
        #expect(!text.contains("MIIEvQ") && !text.contains("eyJhbG"), "\(text)")
      }
      #expect(record.ending?.text.contains("<redacted>") == true && record.itemFailures.count == 1)
    }
  }

  @Test func `the page of a run that is under way hides what its record hides`() async {
    let (reached, release) = (Signal(), Signal())
    let run = Flow("for \(Self.secret)").setData(name: "password", value: Self.secret)
      .add("use \(Self.secret)") { _ in await reached.fire(thenAwait: release) }.start()
    await reached.wait()
    let page = run.page
    #expect(page.contains("What it was doing") && page.contains("1. use &lt;redacted&gt; runs, for "))
    #expect(!page.contains(Self.secret))
    release.fire()
    _ = await run.outcome
  }
}
