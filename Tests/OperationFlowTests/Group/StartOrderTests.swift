import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct StartOrderTests {
  /// The items in the order of their starts, and those that had ended before each.
  private func starts(_ events: [FlowEvent]) -> [(item: Int, ended: Set<Int>)] {
    var (starts, ended) = ([(item: Int, ended: Set<Int>)](), Set<Int>())
    for event in events {
      guard let item = event.source.item else { continue }
      if event.kind == .started { starts.append((item, ended)) }
      if case .finished = event.kind { ended.insert(item) }
    }
    return starts
  }

  @Test(arguments: [1, 2, 5]) func `items are taken in their order: all before one have ended but for the width`(
    width: Int
  ) async {
    for isObserved in [false, true] {
      for _ in 0..<50 {
        let flow = Flow().set("in", to: Array(0..<30))
          .forEach("in" as FlowKey<[Int]>, into: "out" as FlowKey<[Int]>, width: width, run: DoubleOp.self)
        if isObserved { flow.observe { _ in } }
        let starts = starts(await flow.run().report.events)
        #expect(starts.map(\.item).sorted() == Array(0..<30))
        for (item, ended) in starts { #expect((0..<item).count { !ended.contains($0) } < width) }
        if width == 1 { #expect(starts.map(\.item) == Array(0..<30)) }
      }
    }
  }
}
