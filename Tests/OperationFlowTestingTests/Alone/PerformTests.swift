import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct PerformTests {
  @Test func `an operation alone tells how it ended, and what it wrote, logged and reported`() async throws {
    let result = await LoginOp().perform { $0[.email] = "a@b.c" }
    #expect(result.isSuccess && result.error == nil && result.warnings.isEmpty)
    #expect(result[.token] == "token of a@b.c" && result.written.keys.sorted() == ["token"])
    #expect(result.log.map(\.message) == ["logging in", "logged in"] && result.log.map(\.level) == [.debug, .info])
    #expect(result.progress == [0.5, 1])
    #expect(!result.summary.contains("token of"))
  }

  @Test func `an operation that fails, lacks a value or has run says so`() async throws {
    let failed = await LoginOp().perform(with: ["email": "nobody"])
    #expect(try failed.outcome.expectFailure(of: TestError.self, in: "LoginOp") == TestError(name: "no address"))
    #expect(failed.written.isEmpty)
    let missing = await LoginOp().perform()
    #expect(try missing.outcome.expectFailure(of: FlowError.self).code == .missingData)
    let operation = LoginOp()
    _ = await operation.perform(with: given)
    let again = await operation.perform(with: given)
    #expect((again.error as? FlowError)?.code == .operationUsedTwice)
  }

  @Test func `a warning is told`() async {
    final class LooseOp: FlowOperation, @unchecked Sendable {
      override func mainLogic() {
        finishSuccessfully()
        finishSuccessfully()
      }
    }
    #expect(await LooseOp().perform().warnings.count == 1)
  }

  @Test func `an operation can wait on a clock`() async {
    final class SlowOp: FlowOperation, @unchecked Sendable {
      let clock: ManualClock
      init(_ clock: ManualClock) { self.clock = clock }
      override func run() async throws { try await clock.sleep(for: .seconds(3600)) }
    }
    let clock = ManualClock()
    let result = await SlowOp(clock).perform(on: clock)
    #expect(result.isSuccess && result.outcome.report.duration == .seconds(3600))
  }

  @Test func `a step of a flow is performed alone, by its name or by its path, however deep it is`() async throws {
    let flow = publishing()
    let greeted = try await flow.perform("greet", with: ["email": "ann"])
    #expect(greeted[.greeting] == "Hello, ann" && greeted.log.map(\.message) == ["hello"])
    #expect(try await flow.perform("2. greet") { $0[.email] = "bob" }[.greeting] == "Hello, bob")
    let deep = try await flow.perform("Cases[target=web] > web > resize")
    #expect(deep.isSuccess && deep.log.map(\.message) == ["resized"] && deep.outcome.report.stepCount == 1)
    #expect(try await flow.perform("LoginOp", with: given).isSuccess)
    // The flow's own data is not there.
    #expect(deep.outcome.report.data.isEmpty)
  }

  @Test func `a step alone that fails is a result, and one that isn't there is an error that lists the others`()
    async throws
  {
    let result = try await publishing().perform("greet")
    #expect((result.error as? FlowError)?.code == .missingData)
    let error = await #expect(throws: FlowError.self) { try await publishing().perform("great") }
    #expect(error?.code == .unknownStep && error?.remedy.contains("\"2. greet\"") == true)
  }

  @Test func `an item of a group is performed alone`() async throws {
    let result = try await publishing().perform("photos", item: "x.jpg")
    #expect(result[.links] == ["https://x.jpg"] && result.log.map(\.message) == ["uploading x.jpg"])
    await #expect(throws: FlowError.self) { try await publishing().perform("greet", item: 3) }
    let wrong = try await publishing().perform("photos", item: 3)
    #expect((wrong.error as? FlowError)?.code == .mismatchedData)
  }

  @Test func `an item that is performed alone is hidden where the items of its group are`() async throws {
    let (sensitive, marked): (FlowKey<[String]>, FlowKey<[String]>) = (FlowKey("cards", sensitive: true), "codes")
    for key in [sensitive, marked] {
      let flow = Flow().markSensitive("codes").forEach(key) { _, _ in throw TestError(name: "refused") }
      let result = try await flow.perform(key.name, item: "4929-0000")
      let failures = result.outcome.report.itemFailures.map(\.description)
      #expect(failures.count == 1 && !"\(result.summary)\(failures)".contains("4929"), "\(result.summary)")
    }
  }

  @Test func `a value is among the written ones, however long its name is`() async throws {
    let key = FlowKey<Int>(String(repeating: "name ", count: 100))
    let result = try await Flow().add("write") { context in context[key] = 1 }.perform("write")
    #expect(result[key] == 1)
  }
}
