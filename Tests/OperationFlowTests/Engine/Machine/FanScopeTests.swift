import Testing

@testable import OperationFlow

@Suite(.watched) struct FanScopeTests {
  private func claims(_ fan: inout FanScope) -> [RunWork] {
    var claims: [RunWork] = []
    while let work = fan.claim() { claims.append(work) }
    return claims
  }

  /// Ends a child, and says whether the others go on.
  private func goesOn(_ fan: inout FanScope, failed: Bool) -> Bool { fan.childEnded(failed: failed) }

  @Test func `as many items run as the width allows, in order`() {
    var fan = FanScope(step: 4, count: 5, width: 2, tolerance: .none)
    #expect(fan.claimableCount == 2)
    #expect(claims(&fan) == [.item(4, index: 0), .item(4, index: 1)])
    #expect(fan.claimableCount == 0)
    #expect(goesOn(&fan, failed: false))
    #expect(claims(&fan) == [.item(4, index: 2)])
  }

  @Test func `it is finished once all items have ended`() {
    var fan = FanScope(step: 0, count: 2, width: 9, tolerance: .none)
    #expect(claims(&fan).count == 2)
    #expect(!fan.isFinished)
    _ = fan.childEnded(failed: false)
    #expect(!fan.isFinished)
    _ = fan.childEnded(failed: false)
    #expect(fan.isFinished)
  }

  @Test func `without items it is finished from the start`() {
    #expect(FanScope(step: 0, count: 0, width: 3, tolerance: .none).isFinished)
    #expect(FanScope(step: 0, branchCount: 0).isFinished)
  }

  @Test func `items are pulled one at a time, while there is room to run them`() {
    var fan = FanScope(step: 0, count: nil, width: 2, tolerance: .none)
    #expect(claims(&fan) == [.pull(0)])
    fan.pulled(true)
    #expect(fan.claimableCount == 2)
    #expect(claims(&fan) == [.item(0, index: 0), .pull(0)])
    fan.pulled(true)
    #expect(claims(&fan) == [.item(0, index: 1)])
    _ = fan.childEnded(failed: false)
    #expect(claims(&fan) == [.pull(0)])
    fan.pulled(false)
    #expect(claims(&fan) == [] && !fan.isFinished)
    _ = fan.childEnded(failed: false)
    #expect(fan.isFinished)
  }

  @Test(arguments: 0..<4) func `the given number of failures are tolerated, and not one more`(tolerated: Int) {
    var fan = FanScope(step: 0, count: 5, width: 5, tolerance: .failures(tolerated))
    #expect(claims(&fan).count == 5)
    for _ in 0..<tolerated { #expect(goesOn(&fan, failed: true)) }
    #expect(goesOn(&fan, failed: false))
    #expect(!goesOn(&fan, failed: true))
  }

  @Test func `a share is one of the items that there are, rounded down`() {
    var fan = FanScope(step: 0, count: 7, width: 7, tolerance: .share(0.3))
    #expect(claims(&fan).count == 7)
    for _ in 0..<2 { #expect(goesOn(&fan, failed: true)) }
    #expect(!fan.decidesLate && !goesOn(&fan, failed: true))
  }

  @Test(arguments: [(items: 3, goesOn: false), (4, true)])
  func `a share of items that are pulled is decided when there are no more`(items: Int, mayGoOn: Bool) {
    var fan = FanScope(step: 0, count: nil, width: 9, tolerance: .share(0.5))
    for index in 0..<items {
      #expect(fan.claim() == .pull(0) && fan.pulled(true) && fan.claim() == .item(0, index: index))
    }
    for _ in 0..<2 { #expect(fan.decidesLate && goesOn(&fan, failed: true)) }
    #expect(fan.claim() == .pull(0) && fan.pulled(false) == mayGoOn && !fan.decidesLate)
  }

  @Test func `branches have all begun, and meet when the last has ended`() {
    var fan = FanScope(step: 0, branchCount: 3)
    #expect(fan.claimableCount == 0 && fan.claim() == nil)
    for _ in 0..<2 { _ = fan.childEnded(failed: false) }
    #expect(!fan.isFinished)
    _ = fan.childEnded(failed: false)
    #expect(fan.isFinished)
  }

  @Test func `nothing counts as done while more items can come`() {
    var fan = FanScope(step: 0, count: nil, width: 1, tolerance: .none)
    _ = fan.claim()
    fan.pulled(true)
    _ = fan.claim()
    _ = fan.childEnded(failed: false)
    #expect(fan.doneFraction == 0 && fan.childFraction == 0)
    _ = fan.claim()
    fan.pulled(false)
    #expect(fan.doneFraction == 1 && fan.childFraction == 1)
    #expect(FanScope(step: 0, count: 4, width: 1, tolerance: .none).childFraction == 0.25)
  }
}
