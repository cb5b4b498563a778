import Foundation

// Results that are handed on as they come. When an item has ended, its result is queued, and a claim of its own keeps
// the item's place in the width. One result of a group is handed on at a time, in a task, and then its claim settles.
extension RunEngine {
  /// Begins to hand on what is next, of each group that isn't doing that already.
  func handOnResults() {
    for claim in takeReadyResults() where mayPerform(claim) { _ = performer.perform(claim) }
  }

  package func takeReadyResults(whileRestored isRestored: Bool = false) -> [Claim] {
    let now = dates.now
    return state.withLock { $0.isReplaying == isRestored ? $0.takeReadyResults(at: now) : [] }
  }

  func handOn(_ claim: Claim, of step: Blueprint.StepID) {
    guard let handlers = blueprint.steps[step].options?.results?.handlers,
      let held = state.withLock({ $0.groups[step]?.handing?.taken })
    else { return }
    let context = context(claim.source(blueprint.name(of: claim.work), of: step), claim.ticket, of: step)
    startTask(claim.ticket) {
      for handler in handlers { try await handler(held.result, held.index, context) }
      return nil
    } done: { settlement, _ in
      self.handingDidEnd(claim, settlement)
    }
  }

  /// A failure is one of the group's own, unless its end is decided already.
  package func handingDidEnd(_ claim: Claim, _ settlement: Settlement) {
    guard let step = claim.work.step else { return }
    end(claim.ticket, .settled(settlement), FlowEvent.Source(blueprint.steps[step].name, step: step), lane: .none)
  }
}

extension FlowItemResult<any Sendable> {
  /// The result of an item that has ended.
  static func of(_ settlement: borrowing Settlement, _ output: (any Sendable)?) -> FlowItemResult {
    switch copy settlement {
    case .succeeded: output.map(FlowItemResult.succeeded) ?? .withoutOutput
    case .failed(let error): .failed(error)
    case .cancelled: .cancelled
    }
  }
}

extension RunState {
  mutating func takeReadyResults(at moment: RunMoment) -> [Claim] {
    // Of these, no attempt comes any more that would hand on its result.
    for offer in machine.takeCutOffResults() {
      guard let step = offer.work.step, let index = offer.work.item else { continue }
      let claim = Claim(offer.ticket, offer.work, attempt: offer.attempt, at: moment.time)
      claims.insert(claim)
      groups[step]?.handing?.append(DeliveryQueue.Held(claim, index, .cancelled))
    }
    return groups.all.compactMap { step, run in
      let held = run.handing?.take { index, other in
        guard machine.isStopping(other) else { return false }
        return !machine.claims.all.contains { $0.value.work.attemptedWork == RunWork(.item, of: step, item: index) }
      }
      return held?.claim
    }
  }
}
