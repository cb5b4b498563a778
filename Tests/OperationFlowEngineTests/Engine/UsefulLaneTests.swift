import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct UsefulLaneTests {
  /// Claims work for an added lane; returns false if there is nothing to claim.
  private func claim(_ state: inout RunState) -> Bool {
    state.pendingLaneCount -= 1
    return state.machine.claim() != nil
  }

  @Test(arguments: [64, 1_000_000, .max])
  func `a group never has more lanes on the queue than are useful, however wide it is`(width: Int) {
    var state = RunState.atItems(count: 1_000_000, width: width)
    #expect(state.machine.claimableCount == min(width, 1_000_000))
    let first = state.lanesToAdd()
    #expect(first == 4)
    var most = state.pendingLaneCount
    for _ in 0..<500 where claim(&state) {
      _ = state.lanesToAdd()
      most = max(most, state.pendingLaneCount)
    }
    #expect(most == min(64, width / 2))
  }

  @Test func `there is a lane on the queue for as long as there is work to claim, until all of it is claimed`() {
    var state = RunState.atItems(count: 1_000, width: 300)
    var claimedCount = 0
    _ = state.lanesToAdd()
    while state.pendingLaneCount > 0 {
      if claim(&state) { claimedCount += 1 }
      _ = state.lanesToAdd()
      #expect(state.pendingLaneCount > 0 || state.machine.claimableCount == 0)
    }
    #expect(claimedCount == 300)
  }
}
