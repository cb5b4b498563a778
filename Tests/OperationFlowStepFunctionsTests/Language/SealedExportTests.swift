import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct SealedExportTests {
  private let options = StateMachineOptions(sensitiveValues: .sealed)

  /// Returns a sealing that reverses the bytes, which hides a text from a search as well as a cipher.
  private func mirror(opensNothing: Bool = false) -> FlowSealing {
    FlowSealing(seal: { Data($0.reversed()) }) { data in
      if opensNothing { throw TestError(name: "another key") }
      return Data(data.reversed())
    }
  }

  private func make() -> Flow {
    Flow().set(.token, to: "top secret")
      .add("declared", .reads(.token), .writes(.count)) { $0[.count] = try $0.require(.token).count }
      .add("changes", .when(.token, is: "top secret"), .reads(.token), .writes(.token)) { context in
        context[.token] = try context.require(.token) + "!"
      }
      .add("undeclared") { context in
        context[FlowKey<String>("other", sensitive: true)] = context[.token]
        context[.total] = context[.token]?.count
      }
  }

  @Test func `sensitive values are sealed on every way, and open where they are used`() async throws {
    let inputs = Journal<String>()
    let run = try await ExportedRun(make(), options: options, sealing: mirror()) { input, performer in
      inputs.append(String(decoding: input, as: UTF8.self))
      let output = try await performer.perform(input)
      inputs.append(String(decoding: output, as: UTF8.self))
      return output
    }
    let output = try StateMachineOutput(json: try run.result.get().data, sealing: mirror())
    #expect(output[.count] == 10 && output[.total] == 11)
    #expect(output[.token] == "top secret!" && output[FlowKey<String>("other")] == "top secret!")
    #expect(inputs.entries.count == 8)
    #expect(!(inputs.entries + [run.definition.text]).contains { $0.contains("secret") })
    let closed = try StateMachineOutput(json: try run.result.get().data)
    #expect(closed[.token] == nil && closed[.count] == 10)
  }

  private func makeByName() -> Flow {
    let (token, other) = (FlowKey<String>("apiToken"), FlowKey<String>("new password"))
    return Flow().set(token, to: "top secret")
      .add("declared", .reads(token), .writes(.count)) { $0[.count] = try $0.require(token).count }
      .add("changes", .when(token, is: "top secret"), .reads(token), .writes(other)) { context in
        context[other] = try context.require(token) + "!"
      }
  }

  @Test func `values that are sensitive because of their names are sealed as well, or refused`() async throws {
    let texts = Journal<String>()
    let run = try await ExportedRun(makeByName(), options: options, sealing: mirror()) { input, performer in
      let output = try await performer.perform(input)
      for text in [input, output] { texts.append(String(decoding: text, as: UTF8.self)) }
      return output
    }
    let output = try StateMachineOutput(json: try run.result.get().data, sealing: mirror())
    #expect(output[.count] == 10 && output[FlowKey<String>("new password")] == "top secret!")
    #expect(!(texts.entries + [run.definition.text]).contains { $0.contains("secret") })
    let errors = [
      #expect(throws: StateMachineExportError.self) { try makeByName().amazonStatesLanguage(activity: activity) },
      #expect(throws: StateMachineExportError.self) { try makeByName().executionInput() },
    ]
    #expect(errors.map { $0?.reasons.count } == [3, 1])
    for reason in errors.flatMap({ $0?.reasons ?? [] }) { #expect(reason.remedy.contains("redaction(_:)")) }
    let task = FlowTask(.bucket, of: "2. changes", in: "Flow", run: "r", bucket: Data(#"{"apiToken":"t"}"#.utf8))
    let performer = FlowTaskPerformer(makeByName())
    let failure = await #expect(throws: FlowTaskFailure.self) { try await performer.perform(task) }
    #expect(failure?.cause.contains("<new password>, which is sensitive") == true)
  }

  @Test func `a name that is excluded from the rule is carried as it is`() async throws {
    let flow = { makeByName().redaction(.standard.excluding("apiToken").excluding("new password")) }
    #expect(try String(decoding: flow().executionInput(), as: UTF8.self) == #"{"apiToken":"top secret"}"#)
    _ = try flow().amazonStatesLanguage(activity: activity)
  }

  @Test func `an item's output with such a name leaves no worker`() async throws {
    let tokens = FlowKey<[String]>("tokens")
    let flow = Flow().set(.numbers, to: [1]).forEach(.numbers, into: tokens, .named("items")) { _, _ in "secret" }
    var task = FlowTask(.item, of: "1. items", in: "Flow", run: "r", bucket: Data("{}".utf8))
    (task.index, task.item) = (0, Data("1".utf8))
    let asked = task
    let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(asked) }
    #expect(failure?.cause.contains("<tokens>, which is sensitive") == true, "\(failure?.cause ?? "")")
  }

  @Test func `a worker with another sealing fails for good, without the value`() async throws {
    let input = try make().executionInput(options: options, sealing: mirror())
    let task = FlowTask(.value, of: "1. declared", in: "Flow", run: "r", bucket: input)
    let performer = FlowTaskPerformer(make(), sealing: mirror(opensNothing: true))
    let failure = await #expect(throws: FlowTaskFailure.self) { try await performer.perform(task) }
    #expect(failure?.mayBeRetried == false && failure?.cause.contains("<token> is sealed and can't be opened") == true)
  }

  @Test func `without a sealing there is no input, and no sensitive value leaves a worker`() async throws {
    #expect(throws: StateMachineExportError.self) { try make().executionInput(options: options) }
    for values in [StateMachineOptions.SensitiveValues.sealed, .refused] {
      var task = FlowTask(.bucket, of: "3. undeclared", in: "Flow", run: "r", bucket: Data(#"{"token":"t"}"#.utf8))
      task.sensitiveValues = values
      let input = task
      let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(make()).perform(input) }
      #expect(failure?.mayBeRetried == false && failure?.cause.contains("<other>") == true)
    }
  }

  @Test(
    arguments: ["1. reads", "2. writes", "3. decides", "4. items"],
    [StateMachineOptions.SensitiveValues.sealed, .plain])
  func `no cause of a failure has a sensitive value that is sealed`(
    step: String, values: StateMachineOptions.SensitiveValues
  ) async throws {
    let other = FlowKey<[String: [String]]>("other", sensitive: true)
    let login: @Sendable (FlowContext) throws -> Void = { throw TestError(name: "wrong: \(try $0.require(.token))!") }
    let flow = Flow().set(.token, to: "hunter2-xyz")
      .add("reads", .reads(.token), .writesNothing) { try login($0) }
      .add("writes", .reads(.target), .writes(other)) { context in
        context[other] = ["a": ["hunter2-xyz"]]
        throw TestError(name: "wrong: hunter2-xyz!")
      }
      .add("decides", .when(.token) { throw TestError(name: "wrong: \($0)!") }) { _ in }
      .forEach(.numbers, .named("items"), .reads(.token)) { _, context in try login(context) }
    let options = StateMachineOptions(sensitiveValues: values)
    let input = try flow.executionInput(options: options, sealing: mirror())
    let mode = ["3. decides": FlowTask.Mode.condition, "4. items": .item][step] ?? .nothing
    var task = FlowTask(mode, of: step, in: "Flow", run: "r", bucket: input)
    (task.sensitiveValues, task.index, task.item) = (values, 0, Data("1".utf8))
    let asked = task
    let failure = await #expect(throws: FlowTaskFailure.self) {
      try await FlowTaskPerformer(flow, sealing: mirror()).perform(asked)
    }
    let shown = values == .plain ? "hunter2-xyz" : "<redacted>"
    #expect(failure?.cause.hasSuffix("attempt 1: TestError(wrong: \(shown)!)") == true, "\(failure?.cause ?? "")")
  }

  @Test func `a sensitive value isn't shown in part because a cause is cut`() async throws {
    let secret = String(repeating: "0123456789", count: 900)
    let flow = Flow().set(.token, to: secret)
      .add("reads", .reads(.token), .writesNothing) { throw TestError(name: "wrong: \(try $0.require(.token))") }
    var task = FlowTask(
      .nothing, of: "1. reads", in: "Flow", run: "r",
      bucket: try flow.executionInput(options: options, sealing: mirror()))
    task.sensitiveValues = .sealed
    let asked = task
    let failure = await #expect(throws: FlowTaskFailure.self) {
      try await FlowTaskPerformer(flow, sealing: mirror()).perform(asked)
    }
    #expect(failure?.cause.hasSuffix("TestError(wrong: <redacted>)") == true)
  }

  @Test func `a value that is hidden because of its name isn't in a cause either`() async throws {
    let key = FlowKey<String>("apiToken")
    let flow = Flow().set(key, to: "hunter2-xyz")
      .add("reads", .reads(key), .writesNothing) { throw TestError(name: "wrong: \(try $0.require(key))") }
    let task = FlowTask(
      .nothing, of: "1. reads", in: "Flow", run: "r", bucket: Data(#"{"apiToken":"hunter2-xyz"}"#.utf8))
    let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(task) }
    #expect(failure?.cause.hasSuffix("TestError(wrong: <redacted>)") == true, "\(failure?.cause ?? "")")
  }

  @Test func `what states look into can't be sealed`() throws {
    let items = FlowKey<[Int]>("items", sensitive: true)
    let flow = Flow().forEach(items) { number, _ in number }
      .cases(on: .token) { $0.when("a") { $0.add("b") { _ in } } }
    let error = #expect(throws: StateMachineExportError.self) {
      try flow.amazonStatesLanguage(activity: activity, options: options)
    }
    let reasons = (error?.reasons ?? []).map(\.problem)
    #expect(reasons == ["items", "token"].map { "<\($0)> is sealed, so that no state can look into it." })
    #expect(FlowTaskPerformer(flow).inspectedNames == ["items", "token", "operationFlow"])
  }
}
