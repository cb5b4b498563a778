import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct BlueprintTextTests {
  @Test func `a flow and its blueprint are printed as the tree of their steps`() {
    let flow = Flow("Publish")
      .cases(on: "target") {
        $0.when("web") { $0.add("shrink") { _ in }.add("sign") { _ in } }
        $0.otherwise { _ in }
      }
      .add(flow: Flow("inner").add("work") { _ in })
      .parallel { $0.branch("left") { $0.add("a") { _ in } }.branch("right") { $0.add("b") { _ in } } }
      .add("notify\nall") { _ in }
    let text = """
      flow "Publish":
        1. Cases
          target=web
            1. shrink
            2. sign
          otherwise
        2. inner
          1. work
        3. Parallel
          left
            1. a
          right
            1. b
        4. notify\\nall
      """
    #expect("\(flow)" == text)
    #expect("\(flow.blueprint)" == text)
    #expect("\(Flow("empty"))" == "flow \"empty\": no steps")
  }

  @Test func `the text of a large flow is bounded`() {
    let flow = Flow("large")
    for number in 0..<5_000 { flow.add("step \(number)") { _ in } }
    let lines = "\(flow)".split(separator: "\n")
    #expect(lines.count == 102 && lines[100] == "  100. step 99" && lines.last == "  … and more")
  }
}
