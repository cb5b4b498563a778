import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Random flows, run by the engine and compared with the interpreter.
@Suite(.long) struct RandomFlowTests {
  @Test func `random flows do what a plain interpreter does`() async {
    await forEachSeed(count: 1_000, workers: 8) { await Self.run($0) }
  }

  /// What went wrong with the flow of a seed.
  private static func run(_ seed: UInt64) async -> String? {
    let script = RandomFlow(seed: seed)
    let flow = script.build()
    let outcome = await flow.run()
    let comparison = Comparison(outcome, with: Interpreter(script))
    guard
      let complaint = comparison.complaint ?? RecordCheck(outcome).complaint ?? LimitCheck(outcome, flow).complaint
        ?? ClosingCheck(outcome, flow).complaint
    else { return nil }
    let record = outcome.report.lines.joined(separator: "\n")
    return "\(complaint)\n\(script.steps)\n\(record)"
  }
}
