import Foundation

extension FlowRun: OperationHost {
  /// Makes an operation and starts it.
  ///
  /// `type` is what its class is likely to be; the source has its class's name where it has none of its own.
  func run(
    _ slot: RunSlots.ID, _ expectedSource: FlowEvent.Source, type expectedType: OperationType?,
    isReserved: Bool = false, lane: LaneUse = .goesOn,
    make: () throws -> FlowOperation, scope: (FlowOperation, OperationType) -> ItemScope? = { _, _ in nil }
  ) -> Claim? {
    var made: FlowOperation?
    var source = expectedSource
    do {
      let operation = try make()
      let type = OperationType.of(operation, expecting: expectedType)
      let scope = scope(operation, type)
      source = FlowEvent.Source(operation.name ?? type.name, item: source.item)
      guard operation.isReady else {
        let attachment = OperationAttachment(host: self, ticket: slot, source: source)
        guard operation.attach(attachment, scope: scope, isReserved: isReserved) else {
          throw FlowError.usedTwice(expectedSource.name)
        }
        startWhenReady(operation, slot, source)
        return nil
      }
      switch operation.execute(in: self, slot, source, type, scope: scope, isReserved: isReserved) {
      case .ended(let settlement):
        let output = output(of: operation, type, source, settlement)
        return complete(slot, source, settlement, output: output, lane: lane)
      case .waitsUndeclared: made = operation
      case .waits: return nil
      case nil: throw FlowError.usedTwice(expectedSource.name)
      }
    } catch {
      // When the run is cancelled, the operations that it has not started are ended, and can't be had any more.
      return complete(slot, source, isStopping ? .cancelled : Settlement(error), lane: lane)
    }
    loosen(&made, slot, source)
    return nil
  }

  /// Starts an operation once those that it depends on have finished.
  ///
  /// It isn't put on the queue itself, which would hold it although it may have to go, but its place is taken by a block
  /// with the same dependencies. The block also keeps the operation until then: on Linux the program stops when an
  /// operation finishes after one that depended on it was freed.
  private func startWhenReady(_ operation: FlowOperation, _ slot: RunSlots.ID, _ source: FlowEvent.Source) {
    let held = Locked<FlowOperation?>(operation)
    let starter = BlockOperation { [weak self] in
      var operation = held.withLock { held in
        defer { held = nil }
        return held
      }
      if case .waitsUndeclared = operation?.executeAndTell() { self?.loosen(&operation, slot, source) }
    }
    for dependency in operation.dependencies { starter.addDependency(dependency) }
    let isStopping = state.withLock { state in
      state.slots.track(.waiting(operation), in: slot)
      return state.machine.isStopping
    }
    enqueue(starter)
    if isStopping { operation.discard() }
  }

  /// Lets go of an operation that returned without saying that it ends later.
  ///
  /// Where that was the last reference, it has failed by the time this returns.
  private func loosen(_ operation: inout FlowOperation?, _ slot: RunSlots.ID, _ source: FlowEvent.Source) {
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
    of operation: FlowOperation?, _ type: OperationType?, _ source: FlowEvent.Source, _ settlement: Settlement
  ) -> (any Sendable)? {
    guard source.item != nil, case .succeeded = settlement else { return nil }
    return operation?.takeOutput(type)
  }

  // MARK: What operations tell

  func operationWillStart(_ operation: FlowOperation, _ ticket: RunSlots.ID, _ source: FlowEvent.Source) -> Bool {
    willStart(ticket, source, .operation(operation))
  }

  func operationDidSettle(_ operation: FlowOperation?, _ attachment: OperationAttachment, _ settlement: Settlement) {
    // What is given up while the run stops has done as it was told, only before it was told.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping
    let output = output(of: operation, nil, attachment.source, settlement)
    complete(
      attachment.ticket, attachment.source, isGivenUp ? .cancelled : settlement, output: output, lane: .none)
  }

  func operationDidReport(_ attachment: OperationAttachment, fraction: Double) {
    report(fraction, attachment.ticket)
  }
}
