import Testing

@testable import OperationFlow

extension FlowKey where Value == Int {
  fileprivate static var session: Self { FlowKey("session", isStored: false) }
  fileprivate static var plain: Self { "plain" }
}

@Suite(.watched) struct UnstoredValueRuleTests {
  private func warnings(_ flow: Flow) -> [FlowProblem] { flow.validate().filter { $0.key == "session" } }

  @Test func `a step that requires a value that isn't stored is warned of, with its writer`() throws {
    let flow = Flow("Unstored").add("open", .writes(.session)) { $0[.session] = 1 }
      .add("use", .reads(.session), .writesNothing) { _ in }
    let warning = try #require(warnings(flow).first)
    #expect(warning.severity == .warning && warning.code == .missingData && warning.path == "2. use")
    #expect(warning.problem.contains("<session> isn't stored") && warning.problem.contains("1. open"))
    #expect(warning.remedy.contains("run(id:in:with:)") && warnings(flow).count == 1)
  }

  @Test func `one side that declares that it isn't stored is enough`() {
    let stored = FlowKey<Int>("session")
    let flow = Flow("Unstored").add("open", .writes(stored)) { $0[stored] = 1 }
      .add("middle", .writesNothing) { _ in }
      .add("use", .reads(stored), .writesNothing) { _ in }
    #expect(warnings(flow).isEmpty)
    flow.add("last", .reads(optional: .session), .writesNothing) { _ in }
    #expect(warnings(flow).map(\.path) == ["3. use"])
  }

  @Test func `a value that is given, or may be made again, isn't warned of`() {
    let given = Flow("Unstored").set(.session, to: 1).add("use", .reads(.session), .writesNothing) { _ in }
    let unknown = Flow("Unstored").add("open", .writes(.session)) { $0[.session] = 1 }
      .add("anything") { _ in }
      .add("use", .reads(.session), .writesNothing) { _ in }
    let optional = Flow("Unstored").add("open", .writes(.session)) { $0[.session] = 1 }
      .add("use", .reads(optional: .session), .writesNothing) { _ in }
    for flow in [given, unknown, optional] { #expect(warnings(flow).isEmpty) }
  }

  @Test func `a run without a store isn't bothered`() async {
    let flow = Flow("Unstored").add("open", .writes(.session)) { $0[.session] = 1 }
      .add("use", .reads(.session), .writesNothing) { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess)
    #expect(!outcome.report.events.contains { if case .warned = $0.kind { true } else { false } })
  }
}
