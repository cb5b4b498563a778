extension RunEngine: OperationHost {
  package func isStopping(_ ticket: WorkTicket) -> Bool { state.withLock { $0.machine.isStopping(ticket) } }

  func isNew(_ keyUse: String) -> Bool { state.withLock { $0.rareOrNew.keyUses.insert(keyUse).inserted } }

  var ending: FlowEnding? {
    if let ending = task?.ending { return ending }
    return state.withLock { $0.machine.ending }?.located(flow: flowName)
  }

  func undoneItem(_ ticket: WorkTicket) -> UndoneItem? {
    if let undone = task?.undone { return undone }
    return state.withLock { state in
      guard let work = state.machine.work(of: ticket), work.kind == .undo, let value = state.rare?.remains[work] else {
        return nil
      }
      return (value.item, value.output)
    }
  }

  /// Takes the progress that some work reports; after its end this changes nothing.
  func workDidReport(_ ticket: WorkTicket, fraction: Double) {
    let fraction = fraction.isNaN ? 0 : min(1, max(0, fraction))
    probe?.didReport(fraction)
    let follower = state.withLock { state -> (any RunProgress.Follower)? in
      guard state.machine.work(of: ticket) != nil else { return nil }
      return state.progress?.moved(state.machine, by: (ticket, fraction))
    }
    follower?.apply()
  }

  func operationDidSettle(_ operation: FlowOperation?, _ context: FlowContext, _ settlement: Settlement) {
    // An operation that is freed while the run stops would have been cancelled anyway, so it counts as cancelled.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping(context.ticket)
    let output = performer.output(of: operation, nil, context.source, settlement)
    end(context.ticket, .settled(isGivenUp ? .cancelled : settlement), context.source, output: output, lane: .none)
  }
}
