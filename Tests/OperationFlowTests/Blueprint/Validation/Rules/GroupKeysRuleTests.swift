import TestSupport
import Testing

@testable import OperationFlow

/// Declares no keys at all.
private final class KeylessOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { KeylessOp() }
  override func run() async {}
}

/// Declares only what it reads.
private final class ConsumerOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { ConsumerOp() }
  @FlowInput var item: Int
  override func run() async {}
}

/// Its output is declared, its input is a primary key.
private final class MixedOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { MixedOp() }
  override var primaryInputParamKey: String { "item" }
  @FlowOutput var result: Int?
  override func run() async {}
}

@Suite(.watched) struct GroupKeysRuleTests {
  private func group(_ type: any FlowOperationCreator.Type) -> Flow {
    Flow().set("in", to: [1])
      .addGrouped(operationCreator: type, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))
  }

  @Test func `a group's operation without primary keys is a warning that names them`() throws {
    let flow = group(KeylessOp.self)
    #expect(flow.findings == ["warning missingPrimaryKeys at 1. FlowArrayGroupDispatcher"])
    let problem = try #require(flow.validate().first)
    #expect(problem.problem == "KeylessOp declares no primaryInputParamKey and no primaryOutputParamKey.")
    #expect(problem.remedy.contains("@FlowInput"))
  }

  @Test func `one of both is named alone`() throws {
    let problem = try #require(group(ConsumerOp.self).validate().first)
    #expect(problem.problem == "ConsumerOp declares no primaryOutputParamKey.")
  }

  @Test func `declared ports and primary keys are fine, mixed as well`() {
    #expect(group(MixedOp.self).findings == [])
    #expect(group(DoubleOp.self).findings == [])
  }

  @Test func `typed groups are asked as well, and streams`() {
    let out: FlowKey<[Int]> = "out"
    let warning = ["warning missingPrimaryKeys at 1. forEach"]
    #expect(Flow().forEach(in: [1], into: out, run: KeylessOp.self).findings == warning)
    #expect(Flow().forEach(in: [1], into: out, run: MixedOp.self).findings == [])
    #expect(
      Flow().set("in", to: [1]).forEach("in" as FlowKey<[Int]>, into: out, run: KeylessOp.self).findings
        == ["warning missingPrimaryKeys at 1. in"])
  }

  @Test func `closures need no keys`() {
    #expect(Flow().forEach(in: [1]) { item, _ in item }.findings == [])
  }

  @Test func `a group with the warning runs`() async {
    let outcome = await group(KeylessOp.self).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report["out" as FlowKey<[Int]>] == [])
  }
}
