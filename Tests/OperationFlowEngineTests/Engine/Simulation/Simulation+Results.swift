@testable import OperationFlow

// Delays, unexpected results, and the claims that deliver results.
extension Simulation {
  /// Returns the delay before the next attempt, or `nil` for none; `asked` is false if the attempt only timed out.
  static func delay(_ plan: SimulatedFlow.Plan, _ attempt: Int, asked: Bool) -> Duration? {
    if asked, plan.lastAttempt == attempt { return nil }
    return .seconds(asked ? plan.askedDelay ?? plan.delay : plan.delay)
  }

  /// Returns one of the results that do not fit the claim's work.
  static func unexpectedResult(of claim: Claim) -> RunResult {
    let results: [RunResult] =
      switch claim.work.kind {
      case .check: [.entered, .chosen(nil), .pulled(isItem: true)]
      case .step, .item, .deliver, .recover, .expire, .undo, .leave, .collect:
        [.skipped, .pulled(isItem: true), .entered, .planned(count: 2, width: 1, tolerance: .all), .chosen(nil)]
      case .choose: [.skipped, .settled(.succeeded), .entered, .pulled(isItem: false)]
      case .enter: [.skipped, .settled(.succeeded), .chosen(nil), .planned(count: nil, width: 1, tolerance: .none)]
      case .plan: [.skipped, .settled(.succeeded), .entered, .pulled(isItem: true)]
      case .pull: [.settled(.succeeded), .entered, .planned(count: 1, width: 1, tolerance: .none)]
      case .finish: [.entered]
      }
    return results[claim.index % results.count]
  }

  /// Adds the claims for the results of items that were cut off between two attempts; returns a complaint, if any.
  mutating func takeCutOffResults(_ effects: [RunEffect]) -> String? {
    var offers = effects.compactMap { effect in
      if case .deliver(let ticket, let work, _) = effect { RunOffer(ticket: ticket, work: work) } else { nil }
    }
    while tickets.count < reference.claims.count {
      let index = tickets.count
      let work = reference.claims[index].work
      guard let place = offers.firstIndex(where: { work == $0.work.of(blueprint.numbers[$0.work.step ?? 0]) }) else {
        return "no place is kept for the result of \(work)"
      }
      let offer = offers.remove(at: place)
      running.append(
        Claim(index: index, ticket: offer.ticket, work: work, step: offer.work.step, attempt: 1, isHanding: true))
      tickets.append(offer.ticket)
    }
    return offers.first.map { "a place is kept for the result of \($0.work)" }
  }
}
