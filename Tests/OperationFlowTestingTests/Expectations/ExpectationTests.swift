import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct ExpectationTests {
  /// Returns the text of the thrown mismatch, which names this file and a line.
  private func text(_ body: () throws -> Void, _ place: SourceLocation = #_sourceLocation) -> String {
    let error = #expect(throws: FlowMismatch.self, sourceLocation: place) { try body() }
    #expect(error?.description.hasPrefix("OperationFlowTestingTests/ExpectationTests.swift:") == true)
    #expect(error?.description.contains("====== Flow Summary: Publish ======") == true)
    return error?.problem ?? ""
  }

  @Test func `a success, a failure and a cancelled run are expected`() async throws {
    let (succeeded, failed) = (
      await publishing().run(with: given), await publishing().run(with: ["email": "x", "photos": [String]()])
    )
    try succeeded.expectSuccess()
    try failed.expectFailure()
    try failed.expectFailure(of: TestError.self, in: "LoginOp")
    try failed.expectFailure(in: "1. LoginOp")
    #expect(text { try failed.expectSuccess() }.contains("TestError(no address)"))
    #expect(
      text { try succeeded.expectFailure(in: "LoginOp") } == "The flow should have failed in LoginOp. It succeeded.")
    #expect(text { try failed.expectFailure(of: FlowError.self) }.contains("FlowError, not with a TestError"))
    #expect(text { try failed.expectFailure(in: "greet") }.contains("in greet, not in 1. LoginOp"))
    #expect(text { try failed.expectCancelled() }.contains("It failed with"))
    let cancelled = await Flow("Publish").add("stops") { _ in throw CancellationError() }.run()
    try cancelled.expectCancelled()
    #expect(text { try cancelled.expectSuccess() }.contains("It was cancelled by [stops]"))
  }

  @Test func `a mismatch has the line of the call`() async throws {
    let outcome = await Flow().add("fails") { _ in throw TestError() }.run()
    let line = #line + 1
    let error = #expect(throws: FlowMismatch.self) { try outcome.expectSuccess() }
    #expect(error?.line == line && error?.filePath == #filePath && error?.column ?? 0 > 0)
  }

  @Test func `the path that was taken, and what was skipped`() async throws {
    let report = await publishing().run(with: given).report
    try report.expectPath(["LoginOp", "greet", "Cases[target=web] > web > resize", "watermark", "photos", "notify"])
    try report.expectSkipped("print").expectSkipped("3. Cases > otherwise > 1. print")
    let other = text { try report.expectPath(["LoginOp", "greet", "print", "photos", "notify"]) }
    #expect(other.contains("- print\n+ Cases[target=web] > web > resize"))
    #expect(text { try report.expectSkipped("print", "resize") } == "resize should have been skipped, and succeeded.")
    #expect(text { try report.expectSkipped("nothing") }.contains("There is no step nothing"))
  }

  @Test func `attempts`() async throws {
    let report = await publishing().run(with: given).report
    try report.expectAttempts(1, of: "greet").expectAttempts(0, of: "print").expectAttempts(1, of: "photos", item: 2)
    #expect(text { try report.expectAttempts(3, of: "greet") } == "greet should have had 3 attempts, and had 1.")
    #expect(text { try report.expectAttempts(1, of: "photos", item: 9) }.contains("photos #10"))
  }

  @Test func `data`() async throws {
    let report = await publishing().run(with: given).report
    try report.expectData(.greeting, equals: "Hello, a@b.c").expectNoData(FlowKey<Int>("none"))
    let links: [String] = try report.expectData(.links)
    #expect(links.count == 3)
    #expect(text { try report.expectData(.greeting, equals: "x") }.contains("should be \"x\", and is \"Hello, a@b.c\""))
    #expect(text { try report.expectData(FlowKey<Int>("greeting"), equals: 1) }.contains("a String"))
    #expect(text { try report.expectData(FlowKey<Int>("none"), equals: 1) }.contains("email, greeting, links"))
    #expect(text { try report.expectNoData(.greeting) }.contains("should not be there"))
    // A sensitive value is in no text.
    #expect(text { try report.expectData(.token, equals: "x") } == "<token> should be <redacted>, and is <redacted>.")
    #expect(text { try report.expectNoData(FlowKey<String>("token")) }.contains("<redacted>"))
  }

  @Test func `a summary without times is compared with a text, and a failure shows the lines that differ`() async throws
  {
    let report = await Flow("Publish").add("greet") { $0.log("hello") }.run(with: ["email": "a"]).report
    try report.expectSummary(
      """
      ====== Flow Summary: Publish ======
      [DataBucket] start with:
      email: a
      [greet] WillStart
      [greet] hello
      [greet] DidFinish: successfully
      [DataBucket] end with:
      email: a
      Flow isSuccess: true
      ======    Ending    ======
      """)
    try report.expectSummary("====== Flow Summary: Publish ======\n…\n[greet] hello\n…\n======    Ending    ======\n")
    let difference = text { try report.expectSummary("…\n[greet] good bye\n[greet] DidFinish: successfully\n…") }
    #expect(difference.contains("- [greet] good bye\n") && difference.contains("  [greet] hello\n"))
    #expect(difference.contains("  [greet] DidFinish: successfully\n"))
  }

  @Test func `a long summary is compared as a short one is`() async throws {
    let report = await Flow().recording(.everything).add("log") { context in
      for number in 0..<5_000 { context.log("\(number)") }
    }.run().report
    let lines = report.summary(style: .withoutTimes).split(separator: "\n", omittingEmptySubsequences: false)
    try report.expectSummary("…\n" + lines.dropFirst(2).joined(separator: "\n"))
    try report.expectSummary("…\n[log] 17\n…\n" + lines.suffix(4_900).joined(separator: "\n"))
    #expect(throws: FlowMismatch.self) {
      try report.expectSummary("…\n[log] 5000\n" + lines.dropFirst(2).joined(separator: "\n"))
    }
  }

  @Test(arguments: ["a > b", "1. a", "a > 2. b", ""]) func `a failure is found by any name`(name: String) async throws {
    let outcome = await Flow().add(name) { _ in throw TestError(name: "fail") }.run()
    try outcome.expectFailure(in: name)
    #expect(throws: FlowMismatch.self) { try outcome.expectFailure(in: "c") }
  }
}
