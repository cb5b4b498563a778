@testable import OperationFlow

// What claims are settled with besides their own results.
extension Simulation {
  /// The delay after a failure before the next attempt, `nil` for none; one that has only timed out asks for nothing.
  static func delay(_ plan: SimulatedFlow.Plan, _ attempt: Int, asked: Bool) -> Duration? {
    if asked, plan.lastAttempt == attempt { return nil }
    return .seconds(asked ? plan.askedDelay ?? plan.delay : plan.delay)
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
