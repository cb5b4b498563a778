import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct StandInTests {
  @Test func `a step is replaced in a copy, and the flow stays as it is`() async throws {
    let flow = publishing()
    let copy = try flow.replacing("LoginOp") { $0[.token] = "mine" }
    #expect(try await copy.run(with: given).expectSuccess()[.token] == "mine")
    #expect(try await flow.run(with: given).expectSuccess()[.token] == "token of a@b.c")
    #expect(copy.blueprint.allSteps.map(\.path) == flow.blueprint.allSteps.map(\.path))
    #expect(flow.isSuccess)
  }

  @Test func `an asynchronous stand-in, and one deep within, take the place as well`() async throws {
    let ran = Journal<String>()
    let flow = try publishing()
      .replacing("watermark") { _ in
        await Task.yield()
        ran.append("watermark")
      }
      .replacing("1. LoginOp") { _ in ran.append("login") }
    let report = try await flow.run(with: given).expectSuccess()
    #expect(ran.entries == ["login", "watermark"])
    try report.expectPath(
      ["LoginOp", "greet", "Cases[target=web] > web > resize", "watermark", "photos", "notify"])
  }

  @Test func `a whole branch step is replaced with everything within it`() async throws {
    let flow = try publishing().replacing("Cases") { $0.log("instead") }
    let report = try await flow.run(with: given).expectSuccess()
    try report.expectPath(["LoginOp", "greet", "3. Cases", "photos", "notify"])
    #expect(report.steps.map(\.path) == ["1. LoginOp", "2. greet", "3. Cases", "4. photos", "5. notify"])
    #expect(flow.validate(with: given).isEmpty)
  }

  @Test func `the work of a group's items is replaced`() async throws {
    let flow = try publishing().replacingItems(of: "photos") { (photo: String, context) in
      "\(context.index ?? -1)\(photo)"
    }
    #expect(try await flow.run(with: given).expectSuccess()[.links] == ["0a", "1b", "2c"])
    let later = try publishing().replacingItems(of: "photos") { (photo: String, _) async in
      await Task.yield()
      return photo
    }
    #expect(try await later.run(with: given).expectSuccess()[.links] == ["a", "b", "c"])
    let wrong = try publishing().replacingItems(of: "photos") { (photo: Int, _) in photo }
    #expect(try await wrong.run(with: given).expectFailure(of: FlowError.self, in: "photos").code == .mismatchedData)
  }

  @Test func `a name that is unknown, or that several steps have, is an error`() throws {
    let flow = Flow().add("a") { _ in }.add("b") { _ in }.add("a") { _ in }
    let unknown = #expect(throws: FlowError.self) { try flow.replacing("c") { _ in } }
    #expect(unknown?.code == .unknownStep)
    let ambiguous = #expect(throws: FlowError.self) { try flow.replacing("a") { _ in } }
    #expect(ambiguous?.code == .ambiguousStep && ambiguous?.remedy.contains("\"1. a\", \"3. a\"") == true)
    _ = try flow.replacing("3. a") { _ in }
    let noGroup = #expect(throws: FlowError.self) { try flow.replacingItems(of: "b") { (item: Int, _) in item } }
    #expect(noGroup?.description.contains("not a group") == true)
  }

  @Test func `a flow starts at a step with given data, and its paths stay`() async throws {
    let flow = try publishing().starting(at: "photos")
    let report = try await flow.run(with: ["photos": ["x"]]).expectSuccess()
    try report.expectPath(["4. photos", "5. notify"]).expectData(.links, equals: ["https://x"])
    #expect(report.steps.map(\.path) == ["4. photos", "5. notify"])
    // The values that an earlier step would have written are missing.
    #expect(try publishing().starting(at: "photos").validate().map(\.code).contains(.missingData))
  }

  @Test func `a flow starts within a branch`() async throws {
    let report = try await publishing().starting(at: "watermark").run(with: given).expectSuccess()
    try report.expectPath(["Cases[target=web] > web > watermark", "photos", "notify"])
    #expect(report.steps.contains { $0.path == "3. Cases > target=web > 1. web > 2. watermark" })
  }

  @Test func `a flow starts at what always runs, without all that comes before it`() async throws {
    func closing(_ flow: Flow) -> Flow {
      flow.add("work") { _ in }
        .always("first") { $0.add("one") { _ in } }
        .always("second") { $0.add("two") { _ in }.add("three") { _ in } }
        .always("third") { $0.add("four") { _ in } }
    }
    let whole = try await closing(Flow()).starting(at: "second").run().expectSuccess()
    let paths = ["3. second", "3. second > 1. two", "3. second > 2. three", "4. third", "4. third > 1. four"]
    #expect(whole.steps.map(\.path.description) == paths && whole.stepCount == 5)
    let within = try await closing(Flow()).starting(at: "three").run().expectSuccess()
    #expect(within.steps.map(\.path.description) == paths.filter { !$0.contains("two") })
    let branch = Flow().add("before") { _ in }
      .parallel { $0.branch("one") { _ = closing($0) }.branch("other") { $0.add("beside") { _ in } } }
      .add("after") { _ in }
    let inner = try await branch.starting(at: "second").run().expectSuccess()
    let names = ["Parallel", "second", "two", "three", "third", "four", "beside", "after"]
    #expect(inner.steps.map(\.name) == names && inner.steps.allSatisfy { $0.end == .succeeded })
  }

  @Test func `a flow stops after a step, also within a branch`() async throws {
    try await publishing().stopping(after: "greet").run(with: given).expectSuccess().expectPath(["LoginOp", "greet"])
    let report = try await publishing().starting(at: "greet").stopping(after: "resize").run(with: given).expectSuccess()
    try report.expectPath(["greet", "resize"])
    #expect(report[.links] == nil)
  }

  @Test func `a flow stops after a step that always runs, without those that come after it`() async throws {
    let flow = Flow().add("work") { _ in }.add("more") { _ in }
      .always("first") { $0.add("one") { _ in } }
      .always("second") { $0.add("two") { _ in }.add("three") { _ in } }
      .always("third") { $0.add("four") { _ in } }
    for (step, steps) in [
      ("work", ["work", "one", "two", "three", "four"]), ("first", ["work", "more", "one"]),
      ("two", ["work", "more", "one", "two"]), ("four", ["work", "more", "one", "two", "three", "four"]),
    ] {
      try await flow.stopping(after: step).run().expectSuccess().expectPath(steps)
    }
    let paths = try await flow.stopping(after: "two").run().report.steps.map(\.path.description)
    #expect(paths == ["1. work", "2. more", "3. first", "3. first > 1. one", "4. second", "4. second > 1. two"])
  }

  @Test func `what is left out of a copy runs nowhere, and an operation object in it can still run`() async throws {
    let operation = LoginOp()
    let flow = Flow().add(operation: operation).add("next") { _ in }
    try await flow.starting(at: "next").run().expectSuccess().expectPath(["next"])
    try await flow.run(with: given).expectSuccess().expectPath(["LoginOp", "next"])
  }
}
