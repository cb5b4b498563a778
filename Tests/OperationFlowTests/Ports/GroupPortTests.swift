import OperationFlow
import TestSupport
import Testing

/// Declares no primary keys: its first declared input and output serve as them.
private final class TextOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { TextOp() }
  @FlowInput var number: Int
  @FlowInput var prefix: String = "#"
  @FlowOutput var text: String?
  @FlowOutput var other: Int?

  override func run() async throws {
    if number < 0 { throw TestError() }
    other = number
    text = prefix + "\(number)"
  }
}

/// Overrides the primary keys, which have precedence over its declarations.
private final class PrimaryOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { PrimaryOp() }
  override var primaryInputParamKey: String { "second" }
  override var primaryOutputParamKey: String { "right" }
  @FlowInput var first: Int = 100
  @FlowInput var second: Int
  @FlowOutput var wrong: String?
  @FlowOutput var right: String?

  override func mainLogic() {
    wrong = "wrong"
    right = "\(first + second)"
    finishSuccessfully()
  }
}

@Suite(.watched) struct GroupPortTests {
  @Test func `the first declared input and output serve as primary keys`() async {
    let byDispatcher = await Flow().set(.numbers, to: [3, 1, 2])
      .addGrouped(
        operationCreator: TextOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: .numbers, outputKey: .texts)
      ).run()
    #expect(byDispatcher.report[.texts] == ["#3", "#1", "#2"])
    let typed = await Flow().set(.numbers, to: [3, 1, 2]).forEach(.numbers, into: .texts, run: TextOp.self).run()
    #expect(typed.report[.texts] == ["#3", "#1", "#2"])
  }

  @Test func `primary keys that are overridden come first`() async {
    let outcome = await Flow().set(.numbers, to: [1, 2]).forEach(.numbers, into: .texts, run: PrimaryOp.self).run()
    #expect(outcome.report[.texts] == ["101", "102"])
  }

  @Test func `what an item reads beside its item comes from the flow, and what it writes stays its own`() async {
    let outcome = await Flow().set(.numbers, to: [1, 2]).setDataBucket(
      dataBucket: ["numbers": [1, 2], "prefix": "no. ", "number": 99]
    )
    .forEach(.numbers, into: .texts, run: TextOp.self).run()
    #expect(outcome.report[.texts] == ["no. 1", "no. 2"])
    #expect(outcome.report["number"] == 99)
    #expect(outcome.report.data.keys.sorted() == ["number", "numbers", "prefix", "texts"])
    #expect(outcome.report.lines.contains("[TextOp #2] add for text: no. 2"))
  }

  @Test func `an item of another type than its operation reads fails as a mismatch`() async {
    let outcome = await Flow().set(.texts, to: ["a"])
      .forEach(.texts, into: "out" as FlowKey<[String]>, run: TextOp.self).run()
    #expect(outcome.code == .mismatchedData)
    #expect((outcome.error as? FlowError)?.step == "1. texts")
    let tolerated = await Flow().set(.texts, to: ["a"])
      .forEach(.texts, into: "out" as FlowKey<[String]>, tolerating: .failures(1), run: TextOp.self).run()
    let error = tolerated.report.itemFailures.first?.error as? FlowError
    #expect(tolerated.isSuccess && error?.code == .mismatchedData && error?.step == "[TextOp #1]")
  }
}
