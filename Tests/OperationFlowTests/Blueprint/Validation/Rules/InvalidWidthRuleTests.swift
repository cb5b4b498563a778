import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct InvalidWidthRuleTests {
  @Test(arguments: [0, -1, Int.min]) func `a width below 1 is an error, however the group is made`(width: Int) async {
    let numbers: FlowKey<[Int]> = "numbers"
    let dispatcher = FlowArrayGroupDispatcher(
      inputKey: "numbers", outputKey: "out", maxConcurrentOperationCount: width)
    let flow = Flow().set(numbers, to: [1])
      .addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher)
      .forEach(numbers, width: width) { _, _ in }
      .forEach(in: [1], width: width) { _, _ in }
      .forEach(in: AsyncStream<Int> { $0.finish() }, width: width) { _, _ in }
    #expect(
      flow.faults == [
        "error invalidWidth at 1. FlowArrayGroupDispatcher", "error invalidWidth at 2. numbers",
        "error invalidWidth at 3. forEach", "error invalidWidth at 4. forEach (2)",
      ])
    #expect(flow.validate().first?.problem == "the group's width is \(width).")
    let outcome = await flow.run()
    #expect(outcome.code == .invalidFlow)
    #expect(outcome.report.started == [])
  }

  @Test(arguments: [1, 3, Int.max]) func `a width of 1 and more is fine`(width: Int) async {
    let flow = Flow().forEach(in: [1, 2], into: "out" as FlowKey<[Int]>, width: width) { item, _ in item }
    #expect(flow.findings == [])
    #expect(await flow.run().report["out" as FlowKey<[Int]>] == [1, 2])
  }
}
