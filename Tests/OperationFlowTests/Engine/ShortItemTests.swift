import OperationFlow
import TestSupport
import Testing

@Suite(.heavy) struct ShortItemTests {
  private static let shortCount = 5_000

  /// Ends at once, except for the last items, which wait for each other.
  private final class ShortOp: FlowOperation, @unchecked Sendable {
    private let meeting: Meeting?

    init(meeting: Meeting?) { self.meeting = meeting }

    override func mainLogic() {
      guard let meeting else { return finishSuccessfully() }
      startWithAsynchronous()
      Task {
        await meeting.attend()
        finishSuccessfully()
      }
    }
  }

  private struct Dispatcher: FlowGroupDispatcher {
    let meeting: Meeting
    let maxConcurrentOperationCount = 3
    let allowFailure = false

    func items(in bucket: DataBucket) -> FlowGroupItems { FlowGroupItems(Array(0..<shortCount + 3), name: "numbers") }

    func operation(
      for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
    ) -> FlowOperation {
      ShortOp(meeting: index < shortCount ? nil : meeting)
    }

    func collect(_ results: FlowGroupResults) -> [String: any Sendable] { [:] }
  }

  @Test func `items that wait for each other meet after thousands of short ones`() async {
    for _ in 0..<20 {
      let meeting = Meeting(size: 3)
      let flow = Flow().addGrouped(operationCreator: SuccessOp.self, dispatcher: Dispatcher(meeting: meeting))
      #expect(await flow.run().isSuccess)
    }
  }

  @Test func `short closures leave their outputs in order, each run once`() async {
    let counter = Counter()
    let outcome = await Flow()
      .forEach(in: 0..<20_000, into: "outputs" as FlowKey<[Int]>, width: 4) { item, _ in
        counter.enter()
        counter.leave()
        return item
      }.run()
    #expect(outcome.report["outputs" as FlowKey<[Int]>] == Array(0..<20_000))
    #expect(counter.total == 20_000 && counter.peak <= 4)
  }
}
