import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct FlowKeyTests {
  @Test func `keys are equal when their names are`() {
    let plain: FlowKey<Int> = "count"
    let sensitive = FlowKey<Int>("count", sensitive: true)
    #expect(plain == sensitive)
    #expect(Set([plain, sensitive]).count == 1)
    #expect(plain != "other")
  }

  @Test func `a key is shown as its name`() {
    #expect("\(FlowKey<Int>("count", sensitive: true))" == "count")
    #expect(FlowKey<Int>("count", sensitive: true).isSensitive)
    #expect(!FlowKey<Int>("count").isSensitive)
  }

  @Test func `typed reads and writes go through flow, operation and report`() async {
    let (number, text): (FlowKey<Int>, FlowKey<String>) = ("number", "text")
    let outcome = await Flow().setData(name: number, value: 5).step { operation in
      guard let value = operation.getData(name: number) else { return }
      operation.setData(name: text, value: "\(value)")
      operation.setData(name: number, value: nil)
      operation.finishSuccessfully()
    }.run()
    #expect(outcome.report[text] == "5")
    #expect(outcome.report[number] == nil)
    #expect(outcome.report.data.keys.sorted() == ["text"])
  }
}
