extension RunEngine: OperationHost {
  package func isStopping(_ ticket: WorkTicket) -> Bool { state.withLock { $0.machine.isStopping(ticket) } }

  func isNew(_ keyUse: String) -> Bool { state.withLock { $0.keyUses.insert(keyUse).inserted } }

  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ operation: FlowOperation?) -> Bool {
    willStart(ticket, source, cancelling: operation.map { .operation($0) })
  }

  var ending: FlowEnding? {
    if let ending = task?.ending { return ending }
    return state.withLock { $0.machine.ending }?.located(flow: flowName)
  }

  /// Returns the key that all attempts of some work have in common, also after a resume.
  ///
  /// With `isOfStep`, it is the key of the step's own work.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket, isOfStep: Bool) -> String {
    // The code of an undo or a recovery may continue after its claim has settled.
    let work = state.withLock { $0.machine.work(of: ticket) ?? $0.anyClaim(ticket)?.work }
    let path = paths.path(of: Int(source.step)).map(\.description) ?? source.name
    var key = "\((keeper?.id ?? state.withLock { $0.id }).escapedForKey)/\(path.escapedForKey)"
    if let item = source.item ?? task?.item { key += "#\(item)" }
    if isOfStep { return key }
    if task?.kind == .undo { return key + "/undo" }
    switch work?.kind {
    case .deliver?: return key + "/result"
    case .undo?: return key + "/undo"
    case .recover?: return key + "/recovery"
    default: return key
    }
  }

  func undoneItem(_ ticket: WorkTicket) -> UndoneItem? {
    if let undone = task?.undone { return undone }
    return state.withLock { state in
      guard let work = state.machine.work(of: ticket), work.kind == .undo, let value = state.remains[work] else {
        return nil
      }
      return (value.item, value.output)
    }
  }

  /// Accepts the progress that some work reports; after the work's end this changes nothing.
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
    let isGivenUp = settlement.error?.has(.neverFinished) == true && isStopping(context.ticket)
    let output = performer.output(of: operation, nil, context.source, settlement)
    guard let claim = state.withLock({ $0.anyClaim(context.ticket) }) else { return }
    end(claim, .settled(isGivenUp ? .cancelled : settlement), context.source, output: output, lane: .none)
  }
}

extension String {
  /// A copy without slashes, which separate the parts of a key.
  fileprivate var escapedForKey: String {
    replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
  }
}
