import OperationFlow
import TestSupport
import Testing

/// The values that an item reads, and the readers of the values that it writes.
@Suite(.watched) struct ItemTests {
  @Test func `an item reads its own values, its input, and then the flow's bucket`() async {
    let seen = Journal<String?>()
    let work = Work { operation in
      seen.append(operation.getData(name: "shared"))
      operation.setData(name: "shared", value: "mine")
      seen.append(operation.getData(name: "shared"))
      operation.setData(name: "work", value: "other")
      seen.append(operation.getData(name: "work"))
      operation.finishSuccessfully()
    }
    let outcome = await Flow.group([work, work], width: 1).setData(name: "shared", value: "the flow's").run()
    #expect(outcome.isSuccess)
    #expect(seen.entries == ["the flow's", "mine", "other", "the flow's", "mine", "other"])
    #expect(outcome.report.data["shared"] as? String == "the flow's")
  }

  @Test func `what an item writes leaks neither into the flow nor into another item`() async {
    let work = Work { operation in
      let other: Int? = operation.getData(name: "private", isOptional: true)
      operation.setData(name: "private", value: 1)
      operation.setData(name: "output", value: other == nil ? "alone" : "leaked")
      operation.finishSuccessfully()
    }
    let outcome = await Flow.group(Array(repeating: work, count: 20)).step {
      let leaked: Int? = $0.getData(name: "private", isOptional: true)
      if leaked == nil { $0.finishSuccessfully() }
    }.run()
    #expect(outcome.isSuccess)
    #expect(outcome.report.data.keys.sorted() == ["outputs", "works"])
    #expect(outcome.report["outputs" as FlowKey<[String]>] == Array(repeating: "alone", count: 20))
  }

  @Test func `what an item writes stands in the record under its name`() async {
    let outcome = await Flow.group([
      Work {
        $0.setData(name: "output", value: 1)
        $0.setData(name: "output", value: 2)
        $0.setData(name: "note", value: "x")
        $0.setData(name: "note", value: Int?.none)
        $0.setData(name: "nothing", value: Int?.none)
        $0.finishSuccessfully()
      }
    ]).run()
    #expect(
      outcome.report.lines.filter { $0.hasPrefix("[WorkOp #1]") } == [
        "[WorkOp #1] WillStart", "[WorkOp #1] add for output: 1", "[WorkOp #1] replace for output: 1 -> 2",
        "[WorkOp #1] add for note: x", "[WorkOp #1] remove for note: x", "[WorkOp #1] DidFinish: successfully",
      ])
  }

  @Test func `an item that leaves no output leaves no gap`() async {
    let (leaves, leavesNone) = (
      Work {
        $0.setData(name: "output", value: 1)
        $0.finishSuccessfully()
      }, Work { $0.finishSuccessfully() }
    )
    let outcome = await Flow.group([leavesNone, leaves, leavesNone, leaves]).run()
    #expect(outcome.report["outputs" as FlowKey<[Int]>] == [1, 1])
  }

  @Test func `an item whose input is its output as well leaves none before it writes`() async {
    final class SameKeyOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { SameKeyOp() }
      override var primaryInputParamKey: String { "item" }
      override var primaryOutputParamKey: String { "item" }
      override func mainLogic() {
        guard let item: Int = getData(name: "item") else { return }
        if item > 1 { setData(name: "item", value: item * 10) }
        finishSuccessfully()
      }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["in": [1, 2, 3]]).addGrouped(
      operationCreator: SameKeyOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out")
    ).run()
    #expect(outcome.report["out" as FlowKey<[Int]>] == [20, 30])
  }

  @Test func `an input that is removed is gone`() async {
    let outcome = await Flow.group([
      Work {
        $0.setData(name: "work", value: Int?.none)
        let work: Work? = $0.getData(name: "work", isOptional: true)
        if work == nil { $0.finishSuccessfully() } else { $0.finishWithError(error: TestError()) }
      }
    ]).run()
    #expect(outcome.isSuccess)
  }

  @Test func `an item with a name goes by that in the record`() async {
    final class NamedOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation {
        let operation = NamedOp()
        operation.name = "upload"
        return operation
      }
      override func mainLogic() { finishSuccessfully() }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["in": [1]]).addGrouped(
      operationCreator: NamedOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out")
    ).run()
    #expect(outcome.report.lines.contains("[upload #1] WillStart"))
  }
}
