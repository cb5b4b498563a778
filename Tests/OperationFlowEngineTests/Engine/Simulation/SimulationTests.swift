import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Drives the state machine alone in random orders of inputs, and compares it with a model.
///
/// `OPERATIONFLOW_EFFORT` sets the number of inputs. A failure prints a seed: run the tests with that as
/// `OPERATIONFLOW_SEED`, and the effort 0, to repeat it alone.
@Suite(.long) struct SimulationTests {
  private static let count = TestSettings.amount(150_000)
  private static let firstSeed = TestSettings.firstSeed()
  private static let threadCount = 2

  @Test func `random flows driven in any order do what the model says`() async {
    let next = Locked((seed: Self.firstSeed, inputCount: 0))
    let failures = Journal<SimulatedCase>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.threadCount {
        group.addTask {
          await inThread {
            while failures.entries.isEmpty, let seed = Self.takeSeed(next) {
              let id = SuiteWatch.shared.begin("OPERATIONFLOW_SEED=\(seed) of SimulationTests")
              defer { SuiteWatch.shared.end(id) }
              let (inputCount, failure) = SimulatedCase.run(seed: seed)
              next.withLock { $0.inputCount += inputCount }
              if let failure { failures.append(failure) }
            }
          }
        }
      }
    }
    for failure in failures.entries.prefix(1) { Issue.record("\(failure.shrunk.description)") }
  }

  private static func takeSeed(_ next: Locked<(seed: UInt64, inputCount: Int)>) -> UInt64? {
    next.withLock { next in
      defer { next.seed &+= 1 }
      // The first seed is always used, so that a count of 1 is one flow.
      return next.inputCount < count && (count > 1 || next.seed == firstSeed) ? next.seed : nil
    }
  }

  @Test(arguments: SimulatedMachine.Fault.allCases)
  func `each fault in the state machine is found`(fault: SimulatedMachine.Fault) {
    let failure = (0..<500).lazy.compactMap { SimulatedCase.run(seed: $0, fault: fault).failure }.first
    guard let failure else { return fail("not found") }
    #expect(SimulatedCase.replay(failure.flow, failure.inputs, fault: fault) != nil)
    #expect(SimulatedCase.replay(failure.flow, failure.inputs, fault: nil) == nil)
  }

  @Test func `a failing case shows its seed, its flow and its inputs, as few as it fails with`() throws {
    let failure = try #require(
      (0..<500).lazy.compactMap { SimulatedCase.run(seed: $0, fault: .isTooWide).failure }.first)
    let shrunk = failure.shrunk
    let replayed = SimulatedCase.replay(shrunk.flow, shrunk.inputs, fault: .isTooWide)
    #expect(replayed?.complaint == shrunk.complaint)
    let groups = shrunk.flow.allSteps.compactMap { step in
      if case .group(let group) = step.kind { group } else { nil }
    }
    #expect(shrunk.flow.allSteps.count == 1 && groups.count == 1)
    #expect(shrunk.inputs.count <= failure.inputs.count && shrunk.inputs.count < 15, "\(shrunk.description)")
    #expect(shrunk.description.hasPrefix("OPERATIONFLOW_SEED=\(failure.seed) OPERATIONFLOW_EFFORT=0: "))
    #expect(shrunk.description.contains("group") && shrunk.description.contains("begin, "))
  }
}
