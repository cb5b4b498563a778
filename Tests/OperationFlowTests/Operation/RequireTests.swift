import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct RequireTests {
  /// Reads a number in code that throws.
  private final class RequiringOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { RequiringOp() }
    override var primaryInputParamKey: String { "number" }
    override var primaryOutputParamKey: String { "doubled" }
    override func run() async throws { setData(name: "doubled", value: try require("number" as FlowKey<Int>) * 2) }
  }

  @Test func `what is there is read, and what isn't fails the operation`() async {
    let flow = Flow().add(RequiringOp())
    #expect(await flow.run(with: ["number": 4]).report["doubled" as FlowKey<Int>] == 8)
    let missing = await flow.run()
    #expect(missing.code == .missingData && (missing.error as? FlowError)?.step == "[RequiringOp]")
    #expect(await flow.run(with: ["number": "four"]).code == .mismatchedData)
  }

  @Test func `a group's item reads what it was given`() async {
    let outcome = await Flow().set("numbers", to: [1, 2])
      .forEach("numbers" as FlowKey<[Int]>, into: "all" as FlowKey<[Int]>, run: RequiringOp.self).run()
    #expect(outcome.report["all" as FlowKey<[Int]>] == [2, 4])
  }
}
