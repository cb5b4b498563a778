import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

@Suite(.watched) @MainActor struct AllLinesTests {
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test(arguments: [Int.max, Int.max / 2 + 1]) func `a run may be watched with all of its lines`(limit: Int) async {
    let flow = Flow("All").add("a") { context in for number in 0..<300 { context.log("\(number)") } }
    let run = ObservedRun(flow.start(), every: .seconds(Int64.max), lines: limit)
    while run.outcome == nil { await Task.yield() }
    #expect(run.lines.count == 300)
  }
}
