import Foundation
import OperationFlow
import TestSupport
import Testing

/// Facts about a flow's data that one run finds, and the next ones reuse.
@Suite(.watched) struct DataFactsTests {
  private final class NumberOp: FlowOperation, @unchecked Sendable {
    @FlowInput var number: Int

    override func mainLogic() { finishSuccessfully() }
  }

  /// A value whose description changes.
  private final class Changing: CustomStringConvertible, Sendable {
    private let texts: Journal<String> = Journal()

    init(_ text: String) { texts.append(text) }

    func become(_ text: String) { texts.append(text) }

    var description: String { texts.entries.last ?? "" }
  }

  private static func start(_ outcome: FlowOutcome) -> [String]? {
    guard case .flowStarted(let items)? = outcome.report.events.first?.kind else { return nil }
    return items.map { "\($0.name): \($0.text)" }
  }

  private static func end(_ outcome: FlowOutcome) -> [String]? {
    guard case .flowFinished(_, let items)? = outcome.report.events.last?.kind else { return nil }
    return items.map { "\($0.name): \($0.text)" }
  }

  @Test func `data that changes between runs is checked and listed anew`() async {
    let flow = Flow().set("number", to: 1).add(NumberOp())
    for _ in 0..<2 {
      let outcome = await flow.run()
      #expect(outcome.isSuccess && Self.start(outcome) == ["number: 1"])
    }
    flow.set("number", to: "one")
    let refused = await flow.run()
    #expect((refused.error as? FlowError)?.code == .mismatchedData && refused.failure?.isRefusal == true)
    flow.set("number", to: 2).set("other", to: true)
    #expect(Self.start(await flow.run()) == ["number: 2", "other: true"])
    flow.setDataBucket(dataBucket: [:])
    #expect((await flow.run().error as? FlowError)?.code == .missingData)
    flow.set("number", to: 3)
    #expect(Self.start(await flow.run()) == ["number: 3"])
  }

  @Test func `steps that are added between runs are checked with the same data`() async {
    let flow = Flow().set("number", to: "one").add("step") { _ in }
    #expect(await flow.run().isSuccess)
    #expect(await flow.run().isSuccess)
    flow.add(NumberOp())
    #expect((await flow.run().error as? FlowError)?.code == .mismatchedData)
  }

  @Test func `a caller's data is checked and listed, and is no other run's`() async {
    let flow = Flow().set("number", to: 1).add(NumberOp())
    #expect(await flow.run().isSuccess)
    #expect((await flow.run(with: ["number": "one"]).error as? FlowError)?.code == .mismatchedData)
    #expect(Self.start(await flow.run(with: ["a": 0, "number": 5])) == ["a: 0", "number: 5"])
    #expect(Self.start(await flow.run()) == ["number: 1"])
  }

  @Test func `a name that is marked between runs is hidden in the next ones, at their start and at their end`() async {
    let flow = Flow().set("code", to: "hunter2").add("step") { $0["b"] = 1 }
    #expect(Self.start(await flow.run()) == ["code: hunter2"])
    flow.markSensitive("code")
    let outcome = await flow.run()
    #expect(Self.start(outcome) == ["code: <redacted>"] && Self.end(outcome) == ["b: 1", "code: <redacted>"])
    let given = await Flow().add("step") { _ in }.run { $0[FlowKey<String>("code", sensitive: true)] = "hunter2" }
    #expect(Self.start(given) == ["code: <redacted>"] && Self.end(given) == ["code: <redacted>"])
  }

  @Test func `what a run writes is in its end, and not in the start of the next`() async {
    let flow = Flow().set("a", to: 1).add("step") { context in
      context["a"] = 2
      context["b"] = 3
    }
    for _ in 0..<2 {
      let outcome = await flow.run()
      #expect(Self.start(outcome) == ["a: 1"] && Self.end(outcome) == ["a: 2", "b: 3"])
      #expect(outcome.report.data["b"] as? Int == 3)
    }
  }

  @Test func `a value is listed as it was printed when it was written, and anew at each start`() async {
    let (given, written) = (Changing("first"), Changing("early"))
    let flow = Flow().set("given", to: given).add("step") { context in context["written"] = written }
    let outcome = await flow.run()
    given.become("second")
    written.become("late")
    #expect(Self.start(outcome) == ["given: first"] && Self.end(outcome) == ["given: first", "written: early"])
    #expect(Self.start(await flow.run()) == ["given: second"])
  }

  @Test(arguments: [FlowRecording.none, .standard])
  func `the texts at the end are made once, even if nothing else is recorded`(recording: FlowRecording) async {
    struct Counting: CustomStringConvertible, Sendable {
      let count = Tally()
      var description: String {
        count.add()
        return "printed"
      }
    }
    let value = Counting()
    let flow = Flow().recording(recording).add("step") { context in context["value"] = value }
    let outcome = await flow.run()
    #expect(Self.end(outcome) == ["value: printed"] && Self.end(outcome) == ["value: printed"])
    #expect(value.count.count == 1)
  }

  @Test func `a value that prints its flow's summary is listed`() async {
    final class Asking: CustomStringConvertible, Sendable {
      let flow: Flow
      init(_ flow: Flow) { self.flow = flow }
      var description: String { "\(flow.generateSummary().isEmpty)" }
    }
    let flow = Flow("Asked").recording(.none)
    flow.add("step") { [weak flow] context in context["value"] = flow.map(Asking.init) }
    let outcome = await flow.run()
    #expect(Self.end(outcome) == ["value: false"] && !flow.generateSummary().isEmpty)
  }
}
