import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random flows whose store fails at any of its calls, once, for a while or for ever, and that are resumed afterwards.
@Suite(.long) struct RandomTroubleTests {
  @Test func `random flows whose store fails lose nothing, repeat nothing, and end as in a store that doesn't`() async {
    await forEachSeed(count: 150, workers: 4) { try await Self.complaint($0) }
  }

  private static func complaint(_ seed: UInt64) async throws -> String? {
    let script = RandomFlow(seed: seed)
    let expected = Interpreter(script)
    var random = SeededGenerator(seed: seed &+ 5)
    // The identifier is unique, because it distinguishes failures of parallel runs.
    let run = await TroubledRun("r\(seed)", durability(&random), isDecided: expected.isDecided) { script.build($0) }
    if run.expected.failure?.isRefusal == true { return nil }
    if let complaint = Comparison(run.expected, with: expected).complaint { return "without failures: " + complaint }
    for round in 0...random.below(4) {
      let first = 1 + random.below(run.callCount + 2)
      let manner = FailingCalls.Manner.allCases[random.below(3)]
      let durability = durability(&random)
      let complaint = try await run.complaint(FailingCalls(from: first, manner), durability)
      if let complaint {
        return "round \(round), from call \(first) of \(run.callCount) \(manner), \(durability): \(complaint)"
      }
    }
    return try await run.complaintAtEnd(durability(&random))
  }

  private static func durability(_ random: inout SeededGenerator) -> FlowDurability {
    let durability: FlowDurability =
      switch random.below(4) {
      case 0: .operatingSystem
      case 1: .everySettlement
      case 2: .grouped(within: .zero)
      default: .grouped()
      }
    return random.oneIn(4) ? durability.continuingWithoutJournal() : durability
  }
}
