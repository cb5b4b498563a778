import Testing

@testable import OperationFlow

@Suite(.watched) struct FlowToleranceTests {
  @Test func `a share of a number of items is rounded down`() {
    #expect((0...21).map { FlowTolerance.share(0.1).failureCount(of: $0) } == (0...21).map { $0 / 10 })
    #expect(FlowTolerance.share(0.05).failureCount(of: 19) == 0)
    #expect(FlowTolerance.share(1.0 / 3).failureCount(of: 3) == 1)
  }

  @Test func `every percentage counts as it is written, whatever it is in binary`() {
    for percentage in 1..<100 {
      let share = FlowTolerance.share(Double(percentage) / 100)
      for count in 0...1_000 where share.failureCount(of: count) != percentage * count / 100 {
        Issue.record("\(percentage) % of \(count)")
      }
    }
  }

  @Test func `a share of a number that is not known, or of a very large one, stops nothing`() {
    #expect(FlowTolerance.share(0.5).failureCount(of: nil) == .max)
    #expect(FlowTolerance.share(0.5).failureCount(of: .max) == 1 << 62)
    #expect(FlowTolerance.share(1.0.nextDown).failureCount(of: .max) <= .max)
    #expect(FlowTolerance.share(.leastNonzeroMagnitude).failureCount(of: .max) == 0)
    #expect(FlowTolerance.failures(3).failureCount(of: nil) == 3)
  }

  @Test func `nothing and everything are the same as a share and as a number`() {
    #expect(FlowTolerance.share(0) == .none && FlowTolerance.share(-0.0) == .none && FlowTolerance.share(1) == .all)
    #expect(FlowTolerance.share(0.5) == .share(0.5) && FlowTolerance.share(0.5) != .share(0.25))
  }
}
