import Testing

@testable import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var user: Self { "user" }
  fileprivate static var password: Self { FlowKey("password", sensitive: true) }
}

@Suite(.watched) struct TypedDataTests {
  private let flow = Flow().set(.count, to: 1).add("end", .reads(.user, optional: .count)) { _ in }

  @Test func `a run begins with typed data over the flow's`() async {
    for outcome in [
      await flow.run { $0[.user] = "ann" },
      await flow.start { $0[.user] = "ann" }.outcome,
    ] {
      #expect(outcome.isSuccess && outcome.report[.user] == "ann" && outcome.report[.count] == 1)
    }
    #expect(flow.validate().count == 1)
  }

  @Test func `the check takes typed data too`() {
    #expect(flow.validate().count == 1)
    #expect(flow.validate { $0[.user] = "ann" }.isEmpty)
    #expect(flow.validate { $0["user" as FlowKey<Int>] = 1 }.map(\.code) == [.mismatchedData])
  }

  @Test func `typed data begins with the flow's, which can be read, changed and removed`() async {
    let outcome = await flow.run {
      $0[.user] = "ann"
      $0[.count] = ($0[.count] ?? 0) + 1
      #expect($0["count" as FlowKey<String>] == nil)
    }
    #expect(outcome.report[.count] == 2)
    let removed = await flow.run {
      $0[.user] = "ann"
      $0[.count] = nil
    }
    #expect(removed.report.data["count"] == nil)
    #expect(await flow.run { $0["user" as FlowKey<String?>] = .some(nil) }.code == .missingData)
  }

  @Test func `a sensitive key is redacted in the run that it is given to, and its name is forgotten by the flow`() async
  {
    let flow = Flow().redaction(.none).add("end") { _ in }
    let outcome = await flow.run { $0[.password] = "secret" }
    #expect(outcome.report[.password] == "secret")
    #expect(outcome.report.summary.contains("password: <redacted>") && !outcome.report.summary.contains("secret"))
    #expect(await flow.run(with: ["password": "open"]).report.summary.contains("password: open"))
    _ = await flow.set(.password, to: "first").run {
      $0[.user] = "ann"
      #expect("\($0)" == "[password: <redacted>, user: ann]")
    }
  }

  @Test func `what the closure throws starts nothing`() async {
    await #expect(throws: TestError.self) { try await flow.run { _ in throw TestError() } }
    #expect(throws: TestError.self) { try flow.start { _ in throw TestError() } }
    #expect(throws: TestError.self) { try flow.validate { _ in throw TestError() } }
    #expect(flow.run == nil)
  }

  @Test func `the forms without data and with a dictionary are still told apart`() async {
    let flow = Flow().add("end") { _ in }
    let outcomes = [
      await flow.run(), await flow.run(with: [:]), await flow.run(with: ["a": 1]), await flow.start().outcome,
      await flow.start(with: ["a": 1]).outcome, await flow.run { _ in },
    ]
    #expect(outcomes.map(\.report.data.count) == [0, 0, 1, 0, 1, 0])
    #expect(flow.validate().isEmpty && flow.validate(with: [:]).isEmpty)
  }
}
