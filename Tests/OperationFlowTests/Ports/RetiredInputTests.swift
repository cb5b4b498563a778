import Foundation
import OperationFlow
import TestSupport
import Testing

private final class ReadingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static let read = Journal<String>()
  static func create() -> FlowOperation { ReadingOp() }
  @FlowInput var url: String
  @FlowInput var count: Int
  @FlowInput var pages: [String]
  @FlowInput var links: [String: URL]
  override func mainLogic() { finishSuccessfully() }
  deinit { Self.read.append("\(url) \(count) \(pages) \(links)") }

  static func expect(_ text: String) {
    guard read.entries.last == text else { exit(EXIT_FAILURE) }
  }
}

/// The inputs that an operation reads in its `deinit` if it never started.
///
/// Each test has a process of its own, which reading a missing value would end.
@Suite(.watched) struct RetiredInputTests {
  @Test func `it is what the flow's data holds when the run ends, and empty if that has none`() async {
    await #expect(processExitsWith: .success) {
      let fails = Flow().set("url", to: "u").set("pages", to: ["p"]).add("fails") { _ in throw TestError() }
      _ = await fails.add(operation: ReadingOp()).run()
      ReadingOp.expect("u 0 [\"p\"] [:]")
    }
  }

  @Test func `it is empty if the flow is never started, and in what is made for a check`() async {
    await #expect(processExitsWith: .success) {
      func drop() { Flow().add(operation: ReadingOp()) }
      drop()
      ReadingOp.expect(" 0 [] [:]")
      _ = Flow().add(ReadingOp()).validate()
      _ = Flow().forEach(in: ["a"], into: "out" as FlowKey<[Int]>, run: ReadingOp.self).validate()
      let read = ReadingOp.read.entries
      guard read.count >= 3, Set(read) == [" 0 [] [:]"] else { exit(EXIT_FAILURE) }
    }
  }

  @Test func `one that its run never reaches because it is cancelled reads the same`() async {
    await #expect(processExitsWith: .success) {
      let flow = Flow().setDataBucket(dataBucket: ["url": "u", "count": 3, "pages": ["p"], "links": [String: URL]()])
      flow.add("cancels") { [weak flow] _ in flow?.cancel() }.add(operation: ReadingOp())
      guard await flow.run().isCancelled else { exit(EXIT_FAILURE) }
      ReadingOp.expect("u 3 [\"p\"] [:]")
    }
  }
}
