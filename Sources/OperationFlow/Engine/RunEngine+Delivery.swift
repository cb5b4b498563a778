import Foundation

// Results that are delivered as items end. The result of an item is queued with a claim of its own, which occupies the
// item's place in the width. One result of a group is delivered at a time, in a task, and then its claim settles.
extension RunEngine {
  /// Begins to deliver the next result of each group that isn't delivering one.
  func deliverResults() {
    for claim in takeReadyResults() where mayPerform(claim) { _ = performer.perform(claim) }
  }

  package func takeReadyResults(whileRestored isRestored: Bool = false) -> [Claim] {
    state.withLock { $0.isReplaying == isRestored ? $0.takeReadyResults() : [] }
  }

  func deliver(_ claim: Claim, of step: Blueprint.StepID) {
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

  /// Ends a delivery; its failure is one of the group, unless the group's end is decided already.
  package func handingDidEnd(_ claim: Claim, _ settlement: Settlement) {
    guard let step = claim.work.step else { return }
    end(claim, .settled(settlement), FlowEvent.Source(blueprint.steps[step].name, step: step), lane: .none)
  }
}

extension FlowItemResult<any Sendable> {
  /// Returns the result of an item that has ended.
  static func of(_ settlement: borrowing Settlement, _ output: (any Sendable)?) -> FlowItemResult {
    switch copy settlement {
    case .succeeded: output.map(FlowItemResult.succeeded) ?? .withoutOutput
    case .failed(let error): .failed(error)
    case .cancelled: .cancelled
    }
  }
}

extension RunState {
  /// Queues a result of an item, with the claim of its delivery.
  mutating func queue(_ result: FlowItemResult<any Sendable>, _ claim: Claim) {
    guard let step = claim.work.step, let index = claim.work.item else { return }
    claims.insert(claim)
    groups[step]?.handing?.append(DeliveryQueue.Held(claim, index, result))
  }

  /// Queues the result of an item that has ended, with a claim of its delivery that has this ticket.
  mutating func queueResult(
    of work: RunWork, _ output: (any Sendable)?, _ end: borrowing WorkEnd, _ ticket: WorkTicket
  ) {
    guard let step = work.step else { return }
    let claim = Claim(
      ticket, RunWork(.deliver, of: step, item: work.item), attempt: end.claim.attempt, at: end.claim.time)
    queue(.of(end.result.settlement, output), claim)
  }

  mutating func takeReadyResults() -> [Claim] {
    groups.all.compactMap { step, run in
      let held = run.handing?.removeNext { index, other in
        guard machine.isStopping(other) else { return false }
        return !machine.claims.all.contains { $0.value.work.attemptedWork == RunWork(.item, of: step, item: index) }
      }
      return held?.claim
    }
  }
}

/// The results of a group's items that have to be delivered, one after the other.
///
/// Each result occupies the place of its item, so there are never more than the group's width.
struct DeliveryQueue: Sendable {
  /// A result, with the claim that is settled when it was delivered.
  final class Held: Sendable {
    let claim: Claim
    let index: Int
    let result: FlowItemResult<any Sendable>

    init(_ claim: Claim, _ index: Int, _ result: FlowItemResult<any Sendable>) {
      self.claim = claim
      self.index = index
      self.result = result
    }
  }

  private let order: FlowResultOrder
  /// The results that are ready, by their index in the order: the item's index, or the number of results before it.
  private var held = [Int: Held]()
  private var (nextPlace, count) = (0, 0)
  /// The result that is being delivered.
  var taken: Held?

  init(_ order: FlowResultOrder) { self.order = order }

  mutating func append(_ held: Held) {
    self.held[order == .input ? held.index : count] = held
    count += 1
  }

  /// Removes the next result, which is delivered then; `nil` if there is none, or if one is being delivered.
  ///
  /// `neverEnds` returns true if the item won't end any more, because its run is over.
  mutating func removeNext(neverEnds: (_ index: Int, _ other: WorkTicket) -> Bool) -> Held? {
    while taken == nil, let other = held.first?.value {
      if let next = held.removeValue(forKey: nextPlace) {
        nextPlace = nextPlace + 1
        taken = next
        return next
      }
      guard neverEnds(nextPlace, other.claim.ticket) else { return nil }
      nextPlace += 1
    }
    return nil
  }
}
