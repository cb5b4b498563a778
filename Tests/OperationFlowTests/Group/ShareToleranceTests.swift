import TestSupport
import Testing

@testable import OperationFlow

/// Finds its numbers by itself, and tolerates a share of failures.
private struct SharingDispatcher: FlowGroupDispatcher {
  let maxConcurrentOperationCount = 1
  var tolerance = FlowTolerance.share(0.5)

  func items(in bucket: DataBucket) throws -> FlowGroupItems { FlowGroupItems([1, 2, 3, 4], name: "numbers") }
  func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) -> FlowOperation {
    BlockOp("item") { index == 0 ? $0.finishWithError(error: TestError()) : $0.finishSuccessfully() }
  }
  func collect(_ results: FlowGroupResults) -> [String: any Sendable] { ["failed": results.failures.count] }
}

@Suite(.watched) struct ShareToleranceTests {
  private let numbers: FlowKey<[Int]> = "numbers"
  private let results: FlowKey<[Int]> = "results"

  @Sendable private static func even(_ number: Int, _ context: FlowContext) throws -> Int {
    if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
    return number
  }

  private func array(_ items: [Int], _ share: Double) -> Flow {
    Flow().set(numbers, to: items)
      .forEach(numbers, into: results, width: 1, tolerating: .share(share), run: Self.even)
  }

  private func stream(_ items: [Int], _ share: Double) -> Flow {
    Flow().forEach(in: items, into: results, width: 1, tolerating: .share(share), run: Self.even)
  }

  @Test func `a group goes on while no more than its share has failed, and stops with the next failure`() async {
    let tolerated = await array([1, 2, 3, 4], 0.5).run()
    #expect(tolerated.isSuccess && tolerated.report[results] == [2, 4] && tolerated.report.itemFailures.count == 2)
    let exceeded = await array([1, 3, 5, 7], 0.5).run()
    #expect(exceeded.error as? TestError == TestError(name: "5"))
    #expect(exceeded.report.started.count == 3 && exceeded.report[results] == nil)
    #expect(exceeded.report.lines.contains("[Group] more than a share of 0.5 failed: stopping"))
  }

  @Test func `less than one item is none`() async {
    let outcome = await array([2, 1, 4], 0.3).run()
    #expect(outcome.error as? TestError == TestError(name: "1") && outcome.report.started.count == 2)
  }

  @Test func `a sequence is read to its end, and then the share is one of all items`() async throws {
    let tolerated = await stream([1, 3, 2, 4], 0.5).run()
    #expect(tolerated.isSuccess && tolerated.report[results] == [2, 4])
    let exceeded = await stream([1, 3, 2], 0.5).run()
    #expect(exceeded.error as? TestError == TestError(name: "3") && exceeded.report.started.count == 3)
    #expect(exceeded.report.lines.contains("[Group] more than a share of 0.5 failed: stopping"))
    let failure = try #require(exceeded.failure)
    #expect(failure.name == "[forEach #1]" && failure.item == 1 && failure.attempt == 1)
    #expect(exceeded.report.steps.first?.end == .failed)
    #expect(exceeded.report.steps.first?.items?.total == 3)
  }

  @Test func `a failure after the end of a sequence stops the group at once`() async {
    let (items, continuation) = AsyncStream.makeStream(of: Int.self)
    let hasEnded = Signal()
    for item in 0..<4 { continuation.yield(item) }
    let flow = Flow().forEach(in: items, width: 5, tolerating: .share(0.25)) { (item: Int, context) async throws in
      switch item {
      case 1: throw TestError(name: "tolerated")
      case 0:
        await hasEnded.wait()
        throw TestError(name: "one too many")
      default:
        await untilCancelled()
        try context.checkCancellation()
      }
    }
    let run = flow.start()
    for await event in run.events where event.kind == .finished(.withError("\(TestError(name: "tolerated"))")) {
      continuation.finish()
      break
    }
    while run.waitingFor.contains(where: { $0.reason == .nextItem }) { await Task.yield() }
    hasEnded.fire()
    let outcome = await run.outcome
    #expect(outcome.error as? TestError == TestError(name: "one too many"))
    #expect(outcome.report.steps.first?.items?.cancelled == 2)
  }

  @Test func `a dispatcher has a tolerance, which is all or none unless it says otherwise`() async {
    let numbers = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b", allowFailure: true)
    #expect(numbers.tolerance == .all && numbers.allowFailure)
    let none = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b")
    #expect(none.tolerance == .none && !none.allowFailure)
    let share = FlowArrayGroupDispatcher(inputKey: self.numbers, outputKey: results, tolerance: .share(0.1))
    #expect(share.tolerance == .share(0.1) && share.allowFailure)
    let own = await Flow().addGrouped(operationCreator: WorkOp.self, dispatcher: SharingDispatcher()).run()
    #expect(own.report["failed" as FlowKey<Int>] == 1)
    let strict = SharingDispatcher(tolerance: .share(0.2))
    #expect(await Flow().addGrouped(operationCreator: WorkOp.self, dispatcher: strict).run().error is TestError)
  }
}
