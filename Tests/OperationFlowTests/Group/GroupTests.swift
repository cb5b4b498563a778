import Dispatch
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct GroupTests {
  private func flow(_ input: any Sendable, width: Int = 3, allowFailure: Bool = false) -> Flow {
    Flow().setDataBucket(dataBucket: ["in": input])
      .addGrouped(
        operationCreator: DoubleOp.self,
        dispatcher: FlowArrayGroupDispatcher(
          inputKey: "in", outputKey: "out", maxConcurrentOperationCount: width, allowFailure: allowFailure))
  }

  private func output(_ outcome: FlowOutcome) -> [Int]? { outcome.report["out" as FlowKey<[Int]>] }

  @Test(arguments: [0, 1, 3, 10_000], [1, 3, 64, .max])
  func `outputs stand in input order, whatever the size and the width`(count: Int, width: Int) async {
    let outcome = await flow(Array(0..<count), width: width).run()
    #expect(outcome.isSuccess)
    #expect(output(outcome) == (0..<count).map { $0 * 2 })
    #expect(outcome.report.stepCount == 1)
    #expect(outcome.report.lines.contains("[FlowArrayGroupDispatcher] group created: \(count)"))
    #expect(outcome.report.lines.contains("[FlowArrayGroupDispatcher] all finished. output size: \(count)"))
  }

  @Test(arguments: ["text", 5, Set([1]), ["a": 1]] as [any Sendable])
  func `what is no array fails as mismatched data`(input: any Sendable) async {
    let error = await flow(input).run().error as? FlowError
    #expect(error?.code == .mismatchedData && error?.key == "in")
  }

  @Test func `synchronous items run at once as well`() async {
    let (running, full) = (Counter(), Gate())
    let work = Work { operation in
      running.enter()
      if running.now == 2 { full.open() }
      full.pass()
      operation.finishSuccessfully()
      running.leave()
    }
    #expect(await Flow.group([work, work], width: 2).run().isSuccess)
    #expect(running.peak == 2)
  }

  @Test func `arrays of any element type are items one by one`() async {
    struct Pair: Sendable, Equatable { var left: Int, right: [String] }
    let seen = Journal<String>()
    let note = { @Sendable (operation: AnyItemOp) in
      if let number: Int = operation.getData(name: "item", isOptional: true) { seen.append("Int \(number)") }
      if let text: String = operation.getData(name: "item", isOptional: true) { seen.append("String \(text)") }
      if let pair: Pair = operation.getData(name: "item", isOptional: true) { seen.append("Pair \(pair.left)") }
      operation.finishSuccessfully()
    }
    let inputs: [any Sendable] = [
      [1, 2], ["a"], [Pair(left: 7, right: [])], [5, "x"] as [any Sendable], [Int?.some(4)], ContiguousArray([9]),
    ]
    for input in inputs {
      _ = await Flow().setDataBucket(dataBucket: ["in": input, "note": note])
        .addGrouped(
          operationCreator: AnyItemOp.self,
          dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", maxConcurrentOperationCount: 1)
        ).run()
    }
    #expect(seen.entries == ["Int 1", "Int 2", "String a", "Pair 7", "Int 5", "String x", "Int 4"])
  }

  @Test func `one dispatcher serves several flows and groups at once`() async {
    let dispatcher = FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", maxConcurrentOperationCount: 2)
    let runs = (0..<50).map { number in
      Flow().setDataBucket(dataBucket: ["in": Array(0..<number)])
        .addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher)
        .addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher).start()
    }
    for (number, run) in runs.enumerated() { #expect(output(await run.outcome) == (0..<number).map { $0 * 2 }) }
  }
}

/// Passes itself to the closure in the flow's bucket.
final class AnyItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { AnyItemOp() }
  override var primaryInputParamKey: String { "item" }
  override func mainLogic() {
    guard let note: @Sendable (AnyItemOp) -> Void = getData(name: "note") else { return }
    note(self)
  }
}
