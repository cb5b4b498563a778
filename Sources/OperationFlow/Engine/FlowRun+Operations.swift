import Foundation

extension FlowRun: OperationHost {
  /// Makes an operation and starts it.
  func run(
    _ claim: Claim, name: String, item: Int? = nil, isReserved: Bool = false,
    make: () throws -> (FlowOperation, ItemScope?)
  ) -> LaneStep {
    var operation: FlowOperation?
    var source = FlowEvent.Source(name, item: item)
    do {
      let (made, scope) = try make()
      source = FlowEvent.Source(made.ownName, item: item)
      let attachment = OperationAttachment(host: self, ticket: claim.slot, source: source)
      guard made.attach(attachment, scope: scope, isReserved: isReserved) else { throw FlowError.usedTwice(name) }
      operation = made
    } catch {
      // When the run is cancelled, the operations that it has not started are ended, and can't be had any more.
      return complete(claim.slot, source, isStopping ? .cancelled : Settlement(error), inLane: true)
    }
    if let waiting = operation, !waiting.isReady {
      startWhenReady(waiting, claim.slot, source)
      return .leave
    }
    switch operation?.execute() {
    case .ended(let ending):
      let output = output(of: operation, source, ending.settlement)
      return complete(claim.slot, source, ending.settlement, output: output, inLane: true)
    case .waitsUndeclared:
      loosen(&operation, claim.slot, source)
      return .leave
    case .waits, nil:
      return .leave
    }
  }

  /// Starts an operation once those that it depends on have finished.
  ///
  /// It isn't put on the queue itself, which would hold it although it may have to go, but its place is taken by a block
  /// with the same dependencies. The block also keeps the operation until then: on Linux the program stops when an
  /// operation finishes after one that depended on it was freed.
  private func startWhenReady(_ operation: FlowOperation, _ slot: Int, _ source: FlowEvent.Source) {
    let held = Locked<FlowOperation?>(operation)
    let starter = BlockOperation {
      var operation = held.withLock { held in
        defer { held = nil }
        return held
      }
      switch operation?.execute() {
      case .ended(let ending): operation?.tell(ending)
      case .waitsUndeclared: self.loosen(&operation, slot, source)
      case .waits, nil: break
      }
    }
    for dependency in operation.dependencies { starter.addDependency(dependency) }
    let isStopping = state.withLock { state in
      state.slots.begin(slot, source, .waiting(operation))
      return state.machine.isStopping
    }
    enqueue(starter)
    if isStopping { operation.discard() }
  }

  /// Lets go of an operation that returned without saying that it ends later.
  ///
  /// Where that was the last reference, it has failed by the time this returns.
  private func loosen(_ operation: inout FlowOperation?, _ slot: Int, _ source: FlowEvent.Source) {
    if let operation { state.withLock { $0.slots.loosen(slot, operation) } }
    weak let held = operation
    operation = nil
    if held != nil {
      let advice = "returned without finishing: taken as asynchronous. Call startWithAsynchronous() before returning."
      recorder.record(.warned(advice), source: source)
    }
  }

  /// What an item that has succeeded leaves.
  private func output(
    of operation: FlowOperation?, _ source: FlowEvent.Source, _ settlement: Settlement
  ) -> (any Sendable)? {
    guard source.item != nil, case .succeeded = settlement else { return nil }
    return operation?.takeOutput()
  }

  // MARK: What operations tell

  func operationWillStart(_ operation: FlowOperation, _ attachment: OperationAttachment) -> Bool {
    willStart(attachment.ticket, attachment.source, .operation(operation))
  }

  func operationDidSettle(_ operation: FlowOperation?, _ attachment: OperationAttachment, _ settlement: Settlement) {
    // What is given up while the run stops has done as it was told, only before it was told.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping
    let output = output(of: operation, attachment.source, settlement)
    complete(
      attachment.ticket, attachment.source, isGivenUp ? .cancelled : settlement, output: output, inLane: false)
  }

  func operationDidReport(_ attachment: OperationAttachment, fraction: Double) {
    report(fraction, item: attachment.source.item)
  }
}
