import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct FlowDataTests {
  @Test func `setDataBucket takes the place of all that was set before`() async {
    let flow = Flow().setData(name: "old", value: 1).setDataBucket(dataBucket: ["new": 2])
    #expect(flow.dataBucket.keys.sorted() == ["new"])
    #expect(await flow.step().run().report.data["new"] as? Int == 2)
  }

  @Test func `nothing set is an empty bucket`() async {
    #expect(await Flow().run().report.data.isEmpty)
    #expect(Flow().dataBucket.isEmpty)
  }

  @Test func `an optional that holds nothing removes the name`() async {
    let flow = Flow().setDataBucket(dataBucket: ["a": 1, "b": 2]).setData(name: "a", value: Int?.none)
    #expect(flow.dataBucket.keys.sorted() == ["b"])
  }

  @Test func `what is set and logged before the start heads the record`() async {
    let outcome = await Flow("mine").setData(name: "a", value: 1).setData(name: "a", value: 2).run()
    #expect(
      outcome.report.lines == [
        "[DataBucket] add for a: 1", "[DataBucket] replace for a: 1 -> 2", "[DataBucket] start with:\na: 2",
        "[DataBucket] end with:\na: 2",
      ])
    let logged = Flow("mine")
    logged.log(message: "hello")
    #expect(await logged.run().report.lines.first == "[mine] hello")
  }

  @Test func `while it runs, writes and lines go to the run`() async {
    let flow = Flow("mine")
    let outcome = await flow.setData(name: "a", value: 1).step("op") { [weak flow] operation in
      flow?.setData(name: "a", value: 2)
      flow?.log(message: "hello")
      flow?.setData(name: "c" as FlowKey<Int>, value: 3)
      operation.finishSuccessfully()
    }.run()
    #expect(outcome.report.data["a"] as? Int == 2)
    #expect(outcome.report.data["c"] as? Int == 3)
    #expect(outcome.report.lines.contains("[mine] hello"))
    #expect(outcome.report.lines.contains("[DataBucket] replace for a: 1 -> 2"))
  }

  @Test func `isSuccess is true until something has failed, and error is set for every kind of failure`() async {
    let kinds: [(FlowError.Code, Flow)] = [
      (.missingData, Flow().step { let _: Int? = $0.getData(name: "number") }),
      (.mismatchedData, Flow().setData(name: "number", value: "x").step { let _: Int? = $0.getData(name: "number") }),
      (.neverFinished, Flow().step { _ in }),
      (.invalidWidth, Flow.group([], width: 0)),
      (.missingData, Flow.group([Work { let _: Int? = $0.getData(name: "number") }])),
      (.notImplemented, Flow().add(FlowOperation())),
    ]
    for (code, flow) in kinds {
      #expect(flow.isSuccess && flow.error == nil)
      let outcome = await flow.run()
      #expect(!flow.isSuccess)
      #expect((flow.error as? FlowError)?.code == code)
      #expect((outcome.error as? FlowError)?.flow == "Flow")
      #expect((outcome.error as? FlowError)?.step != nil)
    }
    let own = Flow().step { $0.finishWithError(error: TestError()) }
    _ = await own.run()
    #expect(own.error as? TestError == TestError())
  }

  @Test func `a read that may be missing or mistyped is nil and goes on`() async {
    let seen = Journal<Int?>()
    let outcome = await Flow().setData(name: "text", value: "x").step { operation in
      seen.append(operation.getData(name: "missing", isOptional: true))
      seen.append(operation.getData(name: "text", isOptional: true))
      seen.append(operation.getData(name: "text" as FlowKey<Int>, isOptional: true))
      operation.finishSuccessfully()
    }.run()
    #expect(outcome.isSuccess && seen.entries == [nil, nil, nil])
  }

  @Test func `a read that failed decides the end, whatever is called after it`() async {
    let outcome = await Flow().step("op") {
      let _: Int? = $0.getData(name: "first")
      let _: Int? = $0.getData(name: "second")
      $0.finishSuccessfully()
    }.run()
    #expect((outcome.error as? FlowError)?.key == "first")
    #expect(
      outcome.report.lines.contains("[op] DidFinish: withInsufficientInputData: can't find <first> in data bucket"))
  }

  @Test func `a missing name is missing for any type that is asked for`() async {
    let outcome = await Flow().step {
      let _: Any? = $0.getData(name: "missing")
      $0.finishSuccessfully()
    }.run()
    #expect((outcome.error as? FlowError)?.code == .missingData)
  }

  @Test func `what an operation writes after its finish is ignored, while its main logic still runs as well`() async {
    let outcome = await Flow()
      .step("first") {
        $0.setData(name: "early", value: 1)
        $0.finishSuccessfully()
        $0.setData(name: "late", value: 2)
        $0.removeData(name: "early")
        $0.log(message: "a line behind the finish")
      }
      .step { $0.finishSuccessfully() }.run()
    #expect(outcome.isSuccess && outcome.report.data.keys.sorted() == ["early"])
    #expect(
      outcome.report.lines.filter { $0.hasPrefix("[first]") } == [
        "[first] WillStart", "[first] warning: <late> was written after the finish: ignored",
        "[first] warning: <early> was written after the finish: ignored", "[first] a line behind the finish",
        "[first] DidFinish: successfully",
      ])
  }

  @Test func `what an item writes after its finish is no output`() async {
    let outcome = await Flow.group([
      Work {
        $0.finishSuccessfully()
        $0.setData(name: "output", value: 1)
      }
    ]).run()
    #expect(outcome.isSuccess)
    #expect((outcome.report.data["outputs"] as? [Any])?.isEmpty == true)
  }

  @Test func `what an operation writes after its end is ignored, and recorded`() async {
    let (held, isWritten) = (Journal<BlockOp>(), Signal())
    let outcome = await Flow()
      .step("first") {
        held.append($0)
        $0.finishSuccessfully()
      }
      .step {
        held.entries.first?.setData(name: "late", value: 1)
        isWritten.fire()
        $0.finishSuccessfully()
      }.run()
    await isWritten.wait()
    #expect(outcome.report.data.isEmpty)
    #expect(outcome.report.lines.contains("[first] warning: <late> was written after the finish: ignored"))
  }

  @MainActor @Test func `a run on the main actor takes a closure that uses what belongs to the main actor`() async {
    let model = Model()
    let outcome = await Flow().step().run { $0["name" as FlowKey<String>] = model.name }
    #expect(outcome.report.data["name"] as? String == "ann")
  }

  @MainActor private final class Model { let name = "ann" }
}
