import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Compares random flows that the engine runs with the interpreter.
@Suite(.long) struct RandomFlowTests {
  @Test func `random flows do what a plain interpreter does`() async {
    await forEachSeed(count: 1_000, workers: 8) { await Self.run($0) }
  }

  /// Runs the flow of a seed; returns a complaint, or `nil`.
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
