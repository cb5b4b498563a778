@testable import OperationFlow

// What claims are settled with besides their own results.
extension Simulation {
  /// What a failure says about the next attempt; `nil` for nothing.
  static func advice(_ plan: SimulatedFlow.Plan, _ attempt: Int) -> RetryAdvice? {
    plan.lastAttempt == attempt ? .stop : plan.askedDelay.map { .after(.seconds($0)) }
  }

  /// A result that does not fit the work, each of them for some claims.
  static func unexpectedResult(of claim: Claim) -> RunResult {
    let results: [RunResult] =
      switch claim.work.kind {
      case .check: [.entered, .chosen(nil), .pulled(isItem: true)]
      case .step, .item, .handOn, .recover, .expire, .undo, .leave, .collect:
        [.skipped, .pulled(isItem: true), .entered, .planned(count: 2, width: 1, tolerance: .all), .chosen(nil)]
      case .choose: [.skipped, .settled(.succeeded), .entered, .pulled(isItem: false)]
      case .enter: [.skipped, .settled(.succeeded), .chosen(nil), .planned(count: nil, width: 1, tolerance: .none)]
      case .plan: [.skipped, .settled(.succeeded), .entered, .pulled(isItem: true)]
      case .pull: [.settled(.succeeded), .entered, .planned(count: 1, width: 1, tolerance: .none)]
      case .finish: [.entered]
      }
    return results[claim.index % results.count]
  }
}
