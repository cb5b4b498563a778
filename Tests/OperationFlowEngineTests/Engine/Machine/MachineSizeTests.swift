import Testing

@testable import OperationFlow

/// Values that are moved for every step and item are small, so that a copy is cheap.
@Suite(.watched) struct MachineSizeTests {
  @Test func `work, claims and offers are small`() {
    #expect(MemoryLayout<RunWork>.stride <= 24)
    #expect(MemoryLayout<RunOffer>.stride <= 48)
    #expect(MemoryLayout<RunStateMachine.Claimed>.stride <= 72)
  }

  @Test func `a scope is small`() {
    #expect(MemoryLayout<BlockScope>.stride <= 64)
    #expect(MemoryLayout<RunScope>.stride <= 144)
  }

  @Test func `an item's own values are one reference`() {
    #expect(MemoryLayout<ItemScope?>.size == MemoryLayout<Int>.size)
  }
}
