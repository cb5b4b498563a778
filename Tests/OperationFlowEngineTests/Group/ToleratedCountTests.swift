import TestSupport
import Testing

@testable import OperationFlow

/// Tests the number of failures that a tolerance allows.
@Suite(.watched) struct ToleratedCountTests {
  @Test func `every percentage counts as it is written, rounded down`() {
    for percentage in 1..<100 {
      let share = FlowTolerance.share(Double(percentage) / 100)
      for count in 0...1_000 where share.failureCount(of: count) != percentage * count / 100 {
        Issue.record("\(percentage) % of \(count)")
      }
    }
    #expect(FlowTolerance.share(1.0 / 3).failureCount(of: 3) == 1)
  }

  @Test func `a share of a number that is not known, or of a very large one, stops nothing`() {
    #expect(FlowTolerance.share(0.5).failureCount(of: nil) == .max)
    #expect(FlowTolerance.share(0.5).failureCount(of: .max) == 1 << 62)
    #expect(FlowTolerance.share(1.0.nextDown).failureCount(of: .max) <= .max)
    #expect(FlowTolerance.share(.leastNonzeroMagnitude).failureCount(of: .max) == 0)
    #expect(FlowTolerance.failures(3).failureCount(of: nil) == 3)
  }
}
