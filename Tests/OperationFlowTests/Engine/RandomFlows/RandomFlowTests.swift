import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Random flows, run by the engine and compared with the interpreter.
///
/// `OPERATIONFLOW_EFFORT` says how many. A failure prints a seed: with that as `OPERATIONFLOW_SEED`, and the effort 0, it
/// is tried again alone.
@Suite(.long) struct RandomFlowTests {
  private static let count = TestSettings.amount(2_000)
  private static let firstSeed = TestSettings.firstSeed()
  private static let workerCount = 8

  @Test func `random flows do what a plain interpreter does`() async {
    let next = Locked(0)
    let failures = Journal<String>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workerCount {
        group.addTask {
          while let index = next.withLock({ next -> Int? in
            defer { next += 1 }
            return next < Self.count ? next : nil
          }), failures.entries.count < 5 {
            let seed = Self.firstSeed &+ UInt64(index)
            await SuiteWatch.shared.watch("OPERATIONFLOW_SEED=\(seed) of RandomFlowTests") {
              if let failure = await Self.run(seed) { failures.append(failure) }
            }
          }
        }
      }
    }
    for failure in failures.entries { Issue.record("\(failure)") }
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
    return "OPERATIONFLOW_SEED=\(seed) OPERATIONFLOW_EFFORT=0: \(complaint)\n\(script.steps)\n\(record)"
  }
}
