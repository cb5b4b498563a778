import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// The value of a branch's condition is as secret as the value of its key.
@Suite(.watched) struct SensitiveConditionTests {
  private static let secret = "hunter2-s3cr3t"

  private enum Pin: String, CaseIterable, Sendable { case first, topsecret }

  /// Returns cases with a branch that is never chosen, and one with a step whose input is missing.
  private func cases(_ name: String) -> Flow {
    Flow("f").set(FlowKey<String>(name), to: Self.secret).cases(on: FlowKey<String>(name)) {
      $0.when(Self.secret) { $0.add("use", .reads("gone" as FlowKey<Int>), .writesNothing) { _ in } }
      $0.when(Self.secret) { $0.add("again") { _ in } }
    }
  }

  private func texts(_ flow: Flow) async -> String {
    let outcome = await flow.run()
    var texts = "\(flow.validate()) \(flow) \(outcome) \(outcome.report.failure as Any) \(outcome.error as Any)"
    texts += outcome.report.summary(style: .detailed)
    dump(flow.validate(), to: &texts)
    return texts
  }

  @Test func `problems, refusals and the text of a flow hide it, whether its key is marked or named like a secret`()
    async
  {
    for flow in [cases("k").markSensitive("k"), cases("password")] {
      let texts = await texts(flow)
      #expect(!texts.contains(Self.secret), "\(texts)")
      #expect(texts.contains("=<redacted>: A branch before it has the same condition"), "\(texts)")
      #expect(texts.contains("1. Cases > ") && texts.contains("=<redacted> > 1. use: can't find <gone>"), "\(texts)")
    }
    for flow in [cases("k"), cases("password").redaction(.none)] {
      #expect(await texts(flow).contains(Self.secret), "the test has to find it")
    }
  }

  @Test func `so do the branches of a blueprint, if the key is marked`() {
    let blueprint = cases("k").markSensitive("k").blueprint
    let branches = blueprint.steps.flatMap(\.branches)
    #expect(branches.map(\.name) == ["k=<redacted>", "k=<redacted>"])
    #expect(!"\(blueprint) \(branches.map(\.condition)) \(blueprint.mermaid)".contains(Self.secret))
    #expect(cases("k").blueprint.steps.flatMap(\.branches).first?.name == "k=" + Self.secret)
  }

  @Test func `a value without a branch is not named`() {
    let key = FlowKey<Pin>("k")
    let flow = Flow("f").add("choose", .writes(key)) { $0[key] = .first }
      .cases(on: key) { $0.when(.first) { $0.add("use", .writesNothing) { _ in } } }
      .add("later", .writesNothing) { _ in }
    #expect("\(flow.validate())".contains("as for .topsecret"))
    #expect(!"\(flow.markSensitive("k").validate())".contains("topsecret"))
  }

  @Test func `a path that is dumped shows its own text, and nothing else that its flow has`() async {
    let account = FlowKey<String>("account", sensitive: true)
    let record = await Flow("f").set(account, to: Self.secret).add("read \(Self.secret)") { _ in }.add("end") { _ in }
      .run().report.record
    var text = ""
    dump(record, to: &text)
    #expect(!text.contains(Self.secret) && text.contains("1. read <redacted>"), "\(text)")
  }
}
