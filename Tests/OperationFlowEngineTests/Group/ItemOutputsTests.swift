import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct ItemOutputsTests {
  @Test func `outputs keep their places, and those of other types are converted when they are collected`() throws {
    var outputs = TypedOutputs<Int>(count: 3)
    outputs.keep(30, at: 2)
    outputs.keep("1", at: 0)
    outputs.addPlace()
    #expect(outputs.count == 4)
    #expect(outputs.present.map(\.index) == [0, 2])
    #expect(outputs[0] as? String == "1" && outputs[1] == nil && outputs[2] as? Int == 30)
    #expect(outputs.collected { Int("\($0)") ?? 0 } == [1, 30])
    #expect(throws: TestError.self) { try outputs.collected { _ in throw TestError() } }
  }

  @Test func `an optional output that is empty has a place, and isn't missing`() {
    var outputs = TypedOutputs<Int?>(count: 2)
    outputs.keep(Int?.none, at: 1)
    #expect(outputs.present.map(\.index) == [1])
    #expect(outputs.collected { _ in 0 } == [nil])
  }
}
