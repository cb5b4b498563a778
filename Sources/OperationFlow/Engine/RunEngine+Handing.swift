import Foundation

// Results that are handed on as they come. When an item has ended, its result is queued, and a claim of its own keeps
// the item's place in the width. One result of a group is handed on at a time, in a task for that claim; when it has
// returned, the claim settles.
extension RunEngine {
  /// Begins to hand on what is next, of each group that isn't doing that already.
  func handOnResults() {
    let ready = state.withLock { $0.isReplaying ? [] : $0.takeReadyResults() }
    for (step, held) in ready { handOn(held, of: step) }
  }

  @inline(never)
  func handOn(_ held: DeliveryQueue.Held, of step: Blueprint.StepID) {
    let work = RunWork.item(step, index: held.index)
    let claim = RunClaim(ticket: held.ticket, work: work, attempt: held.attempt, isUnderWay: true)
    // The user's code gets no result that a power failure could take back.
    if let keeper, isHeldBack(claim, keeper, by: .result(held)) { return }
    handOnNow(held, of: step)
  }

  func handOnNow(_ held: DeliveryQueue.Held, of step: Blueprint.StepID) {
    guard case .group(let group) = blueprint.steps[step].kind,
      let handlers = blueprint.steps[step].options?.results?.handlers
    else { return }
    let source = FlowEvent.Source(group.itemName, step: step, item: held.index, attempt: held.attempt)
    keeper?.willPerform(step: step, item: held.index)
    let context = context(source, held.ticket, of: step)
    startTask(held.ticket) {
      for handler in handlers { try await handler(held.result, held.index, context) }
      return nil
    } done: { settlement, _ in
      self.handingDidEnd(held, settlement, of: step)
    }
  }

  /// A failure is one of the group's own, unless its end is decided already.
  package func handingDidEnd(_ held: DeliveryQueue.Held, _ settlement: Settlement, of step: Blueprint.StepID) {
    let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
    var settlement = settlement
    let item = FlowEvent.Source(blueprint.name(of: .item(step, index: held.index)), step: step, item: held.index)
    let parts = keeper?.encode(&settlement, nil, of: item, held.ticket, in: self) ?? nil
    settlement = located(settlement, source)
    let errorText = settlement.errorText()
    let finish = settlement.recorded(as: errorText, FlowEvent.Kind.finished)
    settle(held.ticket, .settled(settlement), source, lane: .none, parts: parts, errorText: errorText) {
      [settlement] state, _, record, now in
      state.groups[step]?.handing?.noteHandedOn()
      if !settlement.isSuccess, !state.machine.isStopping(held.ticket) {
        record.append(finish, source: source, at: now)
      }
      return nil
    }
  }
}

extension RunState {
  /// Queues the result of an item that has ended, to be handed on.
  mutating func holdResult(
    _ settlement: borrowing Settlement, _ output: (any Sendable)?, _ index: Int, _ source: FlowEvent.Source,
    _ ticket: WorkTicket
  ) {
    let step = Int(source.step)
    guard let group = groups[step], group.handing != nil, let handing = machine.claimHanding(of: ticket) else { return }
    let result: FlowItemResult<any Sendable> =
      switch copy settlement {
      case .succeeded: output.map(FlowItemResult.succeeded) ?? .withoutOutput
      case .failed(let error): .failed(error)
      case .cancelled: .cancelled
      }
    claims[handing] = claims[ticket]
    group.handing?.append(DeliveryQueue.Held(handing, index, attempt: source.attempt, result))
  }

  /// Takes the results that are to be handed on now.
  mutating func takeReadyResults() -> [(step: Blueprint.StepID, held: DeliveryQueue.Held)] {
    groups.all.compactMap { step, run in
      let held = run.handing?.take { index, other in
        guard machine.isStopping(other) else { return false }
        return !machine.claims.all.contains { $0.value.work.attemptedWork == .item(step, index: index) }
      }
      return held.map { (step, $0) }
    }
  }
}
