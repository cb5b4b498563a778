import Foundation
import OperationFlow
import TestSupport
import Testing

/// Compares the validation of random flows with a plain walk over all of their paths.
///
/// A failure prints its seed: `OPERATIONFLOW_SEED` begins with that one.
@Suite(.watched) struct RandomValidationTests {
  private static let firstSeed = TestSettings.firstSeed()
  private static let count = TestSettings.amount(100)

  private struct Kind: Sendable, CustomStringConvertible {
    let isDeclared: Bool
    let sharesKeys: Bool
    var description: String { "\(isDeclared ? "declared" : "partly declared"), \(sharesKeys ? "shared" : "own") keys" }
    static let declared = [Kind(isDeclared: true, sharesKeys: true), Kind(isDeclared: true, sharesKeys: false)]
    static let all =
      declared + [Kind(isDeclared: false, sharesKeys: true), Kind(isDeclared: false, sharesKeys: false)]
  }

  private func forEachFlow(_ kind: Kind, _ body: (CheckedFlow, Comment) -> Bool) {
    for index in 0..<Self.count {
      let seed = Self.firstSeed &+ UInt64(index)
      let script = CheckedFlow(seed: seed, isDeclared: kind.isDeclared, sharesKeys: kind.sharesKeys)
      guard body(script, "seed \(seed), \(kind): \(script.data) \(script.steps)") else { return }
    }
  }

  @Test(arguments: Kind.all) private func `a flow that works on every path is never refused`(kind: Kind) {
    forEachFlow(kind) { script, comment in
      guard script.possibleEnds == [.success] else { return true }
      let faults = script.build().faults
      #expect(faults == [], comment)
      return faults == []
    }
  }

  @Test(arguments: Kind.declared) private func `if all is declared, what is reported fails`(kind: Kind) {
    forEachFlow(kind) { script, comment in
      let errors = script.build().validate().filter { $0.severity == .error }
      guard !errors.isEmpty else { return true }
      let faults = script.allFaults
      let isReal = errors.allSatisfy { error in
        let key = error.key ?? ""
        // A value that has another type on one path may be missing on another.
        return error.code == .missingData
          ? faults.contains(.missing(key)) : faults.contains(.mismatched(key)) || faults.contains(.missing(key))
      }
      #expect(isReal, comment)
      return isReal
    }
  }

  @Test(arguments: Kind.declared) private func `if all is declared and there is one path, what fails is reported`(
    kind: Kind
  ) {
    forEachFlow(kind) { script, comment in
      let fails = script.hasOnePath && script.possibleEnds != [.success]
      let faults = script.build().faults
      #expect(!fails || !faults.isEmpty, comment)
      return !fails || !faults.isEmpty
    }
  }

  @Test(arguments: Kind.all) private func `the engine ends on each path as the walk says`(kind: Kind) async {
    for index in 0..<max(1, Self.count / 10) {
      let seed = Self.firstSeed &+ UInt64(index)
      let script = CheckedFlow(seed: seed, isDeclared: kind.isDeclared, sharesKeys: kind.sharesKeys)
      let flow = script.build(hidden: true)
      // Flows whose errors are certain whatever the hidden step writes are refused.
      guard flow.faults.isEmpty else { continue }
      for keys in script.combinations {
        // The flow is built for each run, because an operation object that begins a branch runs only once.
        let data = keys.map { ($0, CheckedFlow.stored($1, under: $0)) }
        let outcome = await script.build(hidden: true).run(with: Dictionary(uniqueKeysWithValues: data))
        let ends = script.ends(keys)
        guard let end = CheckedFlow.End(outcome), ends.contains(end) else {
          Issue.record("seed \(seed), \(kind), \(keys): \(ends), but \(outcome.report.summary)")
          return
        }
      }
    }
  }
}

extension CheckedFlow.End {
  fileprivate init?(_ outcome: FlowOutcome) {
    let key = (outcome.error as? FlowError)?.key ?? ""
    switch (outcome, outcome.code) {
    case (.succeeded, _): self = .success
    case (.failed, .missingData?): self = .missing(key)
    case (.failed, .mismatchedData?): self = .mismatched(key)
    default: return nil
    }
  }
}
