import OperationFlow
import TestSupport
import Testing

/// Outcomes, reports, failures and cases show nothing sensitive, however they are printed.
@Suite(.watched) struct OutcomeTextTests {
  private static let secret = "hunter2"

  private func texts(_ value: some Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \(dumped) \([value])"
  }

  @Test func `an outcome of each kind says how the run ended, in one line`() async {
    let succeeded = await Flow("mine").add("x") { _ in }.run()
    #expect("\(succeeded)".hasPrefix("succeeded, flow \"mine\": 1 step, "))
    let failed = await Flow("mine\n").add("x") { _ in throw TestError(name: "a\nb") }.run()
    #expect("\(failed)".hasPrefix("failed with ") && "\(failed)".contains("flow \"mine\\n\": 1 step, "))
    #expect(!"\(failed)".contains("\n"))
    let run = Flow("mine").add("x") { context in while !context.isCancelled { await Task.yield() } }.start()
    run.cancel()
    #expect("\(await run.outcome)".hasPrefix("cancelled, flow \"mine\""))
  }

  @Test func `no form of an outcome shows what is sensitive, and the values are there`() async {
    let key = FlowKey<[String]>("secrets", sensitive: true)
    let outcome = await Flow().set(key, to: [Self.secret]).set("plain" as FlowKey<Int>, to: 4_711)
      .forEach(key, tolerating: .all) { _, _ in throw TestError(name: "no") }.run()
    #expect(!texts(outcome).contains(Self.secret))
    #expect(!texts(outcome.report).contains(Self.secret))
    #expect(!texts(outcome.report.itemFailures).contains(Self.secret))
    #expect(outcome.report.itemFailures.first?.input as? String == Self.secret)
    #expect(outcome.report.itemFailures.first.map { "\($0)".contains("input: <redacted>") } == true)
    #expect(outcome.report[key] == [Self.secret])
    #expect(texts(outcome).contains("4711") && texts(outcome).contains("<redacted>"))
  }

  @Test func `a failure of a sensitive item hides it, also if it is too short to be looked for in texts`() async {
    let outcome = await Flow().set(FlowKey<[Int]>("pins", sensitive: true), to: [7])
      .forEach(FlowKey<[Int]>("pins", sensitive: true), tolerating: .all) { _, _ in throw TestError() }.run()
    #expect(outcome.report.itemFailures.map(\.description).joined().hasSuffix("input: <redacted>"))
  }

  @Test func `a failure of a plain item shows it`() async {
    let outcome = await Flow("f").forEach(in: ["apple"], tolerating: .all) { _, _ in throw TestError(name: "no") }.run()
    let text = outcome.report.itemFailures.map(\.description).joined()
    #expect(text.hasPrefix("[forEach #1] failed with ") && text.hasSuffix("input: apple"))
  }

  @Test func `a case shows its key, and its value unless the key is sensitive`() {
    #expect("\(FlowCase(key: "target", value: "A"))" == "target=A")
    #expect("\(FlowCase.otherwise)" == "otherwise")
    let secret = FlowCase(key: FlowKey<String>("k", sensitive: true), value: Self.secret)
    #expect("\(secret)" == "k=<redacted>")
    #expect(!texts(secret).contains(Self.secret))
  }

  @Test func `typed data shows nothing sensitive when it is dumped`() async {
    let shown = Journal<String>()
    _ = await Flow().add("x") { _ in }.run {
      $0[FlowKey<String>("k", sensitive: true)] = Self.secret
      $0["plain"] = "shown"
      shown.append(texts($0))
    }
    #expect(shown.entries.allSatisfy { !$0.contains(Self.secret) && $0.contains("shown") })
  }
}
