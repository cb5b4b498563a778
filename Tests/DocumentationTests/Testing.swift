import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

extension FlowKey where Value == [Int] {
  static var published: Self { "published" }
}

struct Refused: Error {}

func upload(_ page: String) async throws -> Int {
  if page.isEmpty { throw Refused() }
  return page.count
}

func publishing() -> Flow {
  Flow("Publish")
    .add(CountWordsOp())
    .add("check", .reads(.wordCount), .writesNothing) { context in
      if try context.require(.wordCount) == 0 { throw Refused() }
    }
    .forEach(.pages, into: .published, width: 3) { page, _ in try await upload(page) }
    .add("notify") { context in context.log("\(context[.published]?.count ?? 0) published") }
}

@Suite(.watched) struct TestingTests {
  @Test func `words are counted`() async throws {
    let result = await CountWordsOp().perform { $0[.text] = "to be or not to be" }
    try result.outcome.expectSuccess()
    #expect(result[.wordCount] == 6)
    #expect(result.log.map(\.message) == ["counted 6 words"] && result.warnings.isEmpty)
  }

  @Test func `without a text it fails`() async throws {
    let result = await CountWordsOp().perform()
    let error = try result.outcome.expectFailure(of: FlowError.self)
    #expect(error.code == .missingData && error.key == "text")
  }

  @Test func `all pages are published`() async throws {
    let outcome = await publishing().run(with: ["text": "to be", "pages": ["a", "bb"]])
    let report = try outcome.expectSuccess()
    try report.expectPath(["CountWordsOp", "check", "pages", "notify"])
    try report.expectData(.published, equals: [1, 2])
    try report.expectAttempts(1, of: "pages", item: 0)
  }

  @Test func `a text without words is refused`() async throws {
    let outcome = await publishing().run(with: ["text": "", "pages": ["a"]])
    try outcome.expectFailure(of: Refused.self, in: "check")
  }

  @Test func `the summary ends with the number of pages`() async throws {
    let outcome = await publishing().run(with: ["text": "to be", "pages": ["a"]])
    try outcome.report.expectSummary(
      """
      ====== Flow Summary: Publish ======
      …
      [notify] WillStart
      [notify] 1 published
      [notify] DidFinish: successfully
      …
      Flow isSuccess: true
      ======    Ending    ======
      """)
  }

  @Test func `one page is uploaded`() async throws {
    let result = try await publishing().perform("pages", item: "four")
    #expect(result[.published] == [4])
    let checked = try await publishing().perform("check") { $0[.wordCount] = 0 }
    #expect(checked.error is Refused)
  }

  @Test func `nothing is uploaded`() async throws {
    let flow = try publishing()
      .replacing("CountWordsOp") { context in context[.wordCount] = 1 }
      .replacingItems(of: "pages") { (page: String, _) in 100 + page.count }
    let outcome = await flow.run(with: ["text": "any", "pages": ["a", "bb"]])
    try outcome.expectSuccess().expectData(.published, equals: [101, 102])
  }

  @Test func `the first steps, and the last ones`() async throws {
    let first = try publishing().stopping(after: "check")
    try await first.run(with: ["text": "to be"]).expectSuccess().expectPath(["CountWordsOp", "check"])
    let last = try publishing().starting(at: "notify")
    try await last.run(with: ["published": [1, 2]]).expectSuccess().expectPath(["4. notify"])
  }

  @Test func `an hour takes no time`() async throws {
    let clock = ManualClock()
    let flow = try publishing().replacing("check") { _ in try await clock.sleep(for: .seconds(3600)) }
    let report = try await flow.run(on: clock, with: ["text": "to be", "pages": ["a"]]).expectSuccess()
    #expect(report.duration == .seconds(3600))
    #expect(report.events.first?.date == ManualClock.standardStart)
  }

  @Test func `the flow waits for an hour`() async throws {
    let clock = ManualClock()
    let flow = try publishing().clock(clock).replacing("check") { _ in try await clock.sleep(for: .seconds(3600)) }
    let run = flow.start(with: ["text": "to be", "pages": ["a"]])
    await clock.advance(by: .seconds(3599))
    #expect(run.currentOutcome == nil && clock.sleeperCount == 1)
    await clock.advanceToNextTimer()
    try await run.outcome.expectSuccess()
  }

  @Test func `a page that is refused fails the flow`() async throws {
    let faults = FlowFaults().failing("pages", items: 1...1, with: Refused()).delaying("check", by: .seconds(3))
    let flow = try publishing().injecting(faults)
    let outcome = await flow.run(on: ManualClock(), with: ["text": "to be", "pages": ["a", "b"]])
    try outcome.expectFailure(of: Refused.self, in: "pages")
    #expect(faults.injected.map(\.item) == [nil, 1] && outcome.report.duration == .seconds(3))
  }

  @Test func `a page is uploaded at the third attempt`() async throws {
    let flow = Flow("Upload").forEach(
      .pages, into: .published, .retry(.exponential(attempts: 3, first: .seconds(1), jitter: 0))
    ) { page, _ in try await upload(page) }
    let faults = FlowFaults().failing("pages", items: 0...0, attempts: 1...2, with: Refused())
    let report = try await flow.injecting(faults).run(on: ManualClock(), with: ["pages": ["a", "bb"]]).expectSuccess()
    try report.expectAttempts(3, of: "pages", item: 0)
    try report.expectAttempts(1, of: "pages", item: 1).expectData(.published, equals: [1, 2])
    #expect(report.duration == .seconds(3))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the flow ends, whatever fails`(seed: UInt64) async throws {
    let faults = FlowFaults(seed: seed).failing(share: 0.1).delaying(share: 0.2, by: .seconds(30))
    let flow = try publishing().injecting(faults)
    let outcome = await flow.run(on: ManualClock(), with: ["text": "to be", "pages": ["a", "b", "c"]])
    let hasFailed = faults.injected.contains { $0.effect == .fails }
    #expect(outcome.isSuccess == !hasFailed, "\(faults)")
  }

  @Test func `every input is written before it is read`() {
    let flow = Flow().set(.text, to: "any").add(CountWordsOp())
    #expect(flow.validate().isEmpty)
  }

  @Test func `a flow without a text is refused`() {
    let problems = Flow().add(CountWordsOp()).validate()
    #expect(problems.map(\.code) == [.missingData])
    #expect(problems.first?.key == "text" && problems.first?.path == "1. CountWordsOp")
  }

  // MARK: What else the article says

  @Test func `an operation that finishes in its main logic has ended when it was started`() {
    let operation = Groups.LengthOp()
    operation.setData(name: "word", value: "four")
    operation.start()
    #expect(operation.isFinished && operation.length == 4 && operation.getData(name: "length") == 4)
  }

  @Test func `reading a required input before the start stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = CountWordsOp().text }
  }

  @Test func `a name that no step has is an error that lists the paths`() {
    let error = #expect(throws: FlowError.self) { try publishing().starting(at: "nothing") }
    #expect(error?.code == .unknownStep && error?.remedy.contains("\"3. pages\"") == true)
  }

  @Test func `the error of an expectation has the line and the summary`() async {
    let outcome = await publishing().run(with: ["text": "", "pages": ["a"]])
    let line = #line + 1
    let error = #expect(throws: FlowMismatch.self) { try outcome.expectSuccess() }
    #expect(error?.description.hasPrefix("DocumentationTests/Testing.swift:\(line): ") == true)
    #expect(error?.description.contains("====== Flow Summary: Publish ======") == true)
  }
}
