import Dispatch
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ItemFailureTests {
  /// Leaves its number as output, or fails with it.
  private func work(_ number: Int, fails: Bool, isAsynchronous: Bool = false) -> Work {
    Work(name: "\(number)") { operation in
      let finish = { @Sendable in
        if fails { return operation.finishWithError(error: TestError(name: "\(number)")) }
        operation.setData(name: "output", value: number)
        operation.finishSuccessfully()
      }
      guard isAsynchronous else { return finish() }
      operation.startWithAsynchronous()
      DispatchQueue.global().async(execute: finish)
    }
  }

  @Test(arguments: [1, 3]) func `tolerated, the successes stand in order and the failures are kept`(width: Int) async {
    for isAsynchronous in [true, false] {
      let works = (0..<10).map { work($0, fails: $0.isMultiple(of: 3), isAsynchronous: isAsynchronous) }
      let flow = Flow.group(works, width: width, allowFailure: true)
      let outcome = await flow.run()
      #expect(outcome.isSuccess && flow.isSuccess && flow.error == nil)
      #expect(outcome.report["outputs" as FlowKey<[Int]>] == [1, 2, 4, 5, 7, 8])
      let failures = outcome.report.itemFailures
      if width == 1 { #expect(failures.map(\.index) == [0, 3, 6, 9]) }
      #expect(failures.map(\.index).sorted() == [0, 3, 6, 9])
      for failure in failures {
        #expect(failure.name == "[WorkOp #\(failure.index)]")
        #expect((failure.input as? Work)?.name == "\(failure.index)")
        #expect(failure.error as? TestError == TestError(name: "\(failure.index)"))
      }
    }
  }

  @Test func `failures stand in the order of the record, over all groups`() async {
    let works = (0..<50).map { work($0, fails: true, isAsynchronous: true) }
    let flow = Flow.group(works, width: 8, allowFailure: true)
      .addGrouped(
        operationCreator: WorkOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: "works", outputKey: "out", allowFailure: true))
    let outcome = await flow.run()
    let failures = outcome.report.itemFailures
    #expect(failures.count == 100)
    #expect(Set(failures.prefix(50).map(\.index)).count == 50)
    #expect(Set(failures.suffix(50).map(\.index)).count == 50)
    let recorded = outcome.report.events.filter { if case .finished = $0.kind { true } else { false } }
    let isRecordsOrder = failures.map(\.index) == recorded.compactMap(\.source.item)
    #expect(isRecordsOrder)
  }

  @Test func `tolerated, all may fail`() async {
    let outcome = await Flow.group((0..<5).map { work($0, fails: true) }, allowFailure: true).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report["outputs" as FlowKey<[Int]>] == [])
    #expect(outcome.report.itemFailures.count == 5)
  }

  @Test(arguments: 0..<4) func `not tolerated, with width 1 no later item starts`(position: Int) async {
    for isAsynchronous in [true, false] {
      let works = (0..<4).map { work($0, fails: $0 == position, isAsynchronous: isAsynchronous) }
      let flow = Flow.group(works, width: 1).step { _ in fail("ran") }
      let outcome = await flow.run()
      #expect(outcome.error as? TestError == TestError(name: "\(position)"))
      #expect(outcome.report.events.filter { $0.kind == .started }.count == position + 1)
      #expect(outcome.report.data["outputs"] == nil)
      #expect(
        outcome.report.lines.suffix(3).prefix(2) == [
          "[WorkOp #\(position)] DidFinish: withError: TestError(\(position))",
          "[Group] not allow failure in group. stop immediately.",
        ])
      #expect(outcome.report.itemFailures.map(\.index) == [position])
    }
  }

  @Test func `not tolerated, running items are cancelled, and the flow fails once`() async {
    for _ in 0..<50 {
      let (waiting, ends) = (Tally(), Tally())
      let waits = Work {
        $0.startWithAsynchronous()
        waiting.add()
      }
      let fails = Work { operation in
        operation.startWithAsynchronous()
        Task {
          await waiting.reach(2)
          operation.finishWithError(error: TestError())
        }
      }
      let outcome = await Flow.group([waits, fails, waits] + Array(repeating: waits, count: 20), width: 3)
        .observe { if case .flowFinished = $0.kind { ends.add() } }.run()
      #expect(outcome.error as? TestError == TestError())
      #expect(outcome.report.lines.filter { $0.hasSuffix("] DidFinish: cancelled") }.count == 2)
      #expect(outcome.report.events.filter { $0.kind == .started }.count == 3)
      #expect(waiting.count == 2 && ends.count == 1)
    }
  }

  @Test func `not tolerated, of two that fail at once the first is the flow's error`() async {
    let differing = Counter()
    for _ in 0..<200 {
      let outcome = await Flow.group((0..<4).map { work($0, fails: true, isAsynchronous: true) }, width: 4).run()
      let first = outcome.report.lines.first { $0.contains("DidFinish: withError") } ?? ""
      let error = outcome.error as? TestError
      #expect(error != nil && outcome.report.lines.filter { $0.hasPrefix("[Group]") }.count == 1)
      if !first.hasSuffix("withError: \(error ?? TestError())") { differing.enter() }
    }
    #expect(differing.total == 0)
  }

  @Test func `an item that misses data fails with its place`() async {
    let error =
      await Flow("mine").setDataBucket(dataBucket: ["in": ["a", "b", "c", "d", 1] as [any Sendable]])
      .addGrouped(
        operationCreator: TextOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", maxConcurrentOperationCount: 1)
      ).run().error as? FlowError
    #expect(error?.problem == "<item> in data bucket is <1> with type <Int>, but NOT type <String>.")
    #expect(error?.flow == "mine" && error?.step == "[TextOp #4]")
  }

  @Test func `an item that is cancelled alone is a failure, tolerated or not`() async {
    let cancelled = Work { $0.finishWithError(error: CancellationError()) }
    let tolerated = await Flow.group([cancelled, work(1, fails: false)], allowFailure: true).run()
    #expect(tolerated.isSuccess)
    #expect((tolerated.report.itemFailures.first?.error as? FlowError)?.code == .cancelled)
    guard case .cancelled = await Flow.group([cancelled]).run() else { return fail("not cancelled") }
  }
}

private final class TextOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { TextOp() }
  override var primaryInputParamKey: String { "item" }
  override func mainLogic() {
    guard let _: String = getData(name: "item") else { return }
    finishSuccessfully()
  }
}
