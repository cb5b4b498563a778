import Foundation

extension FlowRun: OperationHost {
  /// Makes an operation and starts it.
  ///
  /// True where it has ended when this returns.
  func run(
    _ work: RunWork, name: String, item: Int? = nil, isReserved: Bool = false,
    make: () throws -> (FlowOperation, ItemScope?)
  ) -> Bool {
    var operation: FlowOperation?
    var slot = 0
    do {
      let (made, scope) = try make()
      slot = try place(made, work, name: name, item: item, scope: scope, isReserved: isReserved)
      operation = made
    } catch {
      // When the run is cancelled, the operations that it has not started are ended, and can't be had any more.
      let settlement = isStopping ? Settlement.cancelled : Settlement(error)
      complete(RunSlots.Slot(work: work, source: FlowEvent.Source(name, item: item)), settlement, inLane: true)
      return true
    }
    // Foundation stops the program where `start()` is called on an operation that is not ready.
    if let waiting = operation, !waiting.isReady {
      startWhenReady(waiting)
      return false
    }
    switch operation?.execute() {
    case .ended(let ending):
      finishSlot(slot, ending.settlement, inLane: true)
      return true
    case .waitsUndeclared:
      loosen(&operation, slot)
      return false
    case .waits, nil:
      return false
    }
  }

  /// Joins an operation to this run, under a slot of its own; one that somebody else runs is refused.
  private func place(
    _ operation: FlowOperation, _ work: RunWork, name: String, item: Int?, scope: ItemScope?, isReserved: Bool
  ) throws(FlowError) -> Int {
    let source = FlowEvent.Source(operation.ownName, item: item)
    let slot = state.withLock { state in
      state.slots.insert(RunSlots.Slot(work: work, source: source, running: .operation(operation)))
    }
    let attachment = OperationAttachment(host: self, ticket: slot, source: source)
    guard operation.attach(attachment, scope: scope, isReserved: isReserved) else {
      _ = state.withLock { $0.slots.remove(slot) }
      throw FlowError.usedTwice(name)
    }
    return slot
  }

  /// Starts an operation once those that it depends on have finished, in a lane of its own.
  ///
  /// It isn't put on the queue itself, which would hold it although it may have to go, but its place is taken by a block
  /// with the same dependencies. The block also keeps the operation until then: on Linux the program stops when an
  /// operation finishes after one that depended on it was freed.
  private func startWhenReady(_ operation: FlowOperation) {
    let ticket = operation.withLifecycle { $0.attachment?.ticket ?? 0 }
    let held = Locked<FlowOperation?>(operation)
    let starter = BlockOperation {
      var operation = held.withLock { held in
        defer { held = nil }
        return held
      }
      switch operation?.execute() {
      case .ended(let ending): operation?.tell(ending)
      case .waitsUndeclared: self.loosen(&operation, ticket)
      case .waits, nil: break
      }
    }
    for dependency in operation.dependencies { starter.addDependency(dependency) }
    enqueue(starter)
    state.withLock { $0.slots.wait(ticket, operation) }
  }

  /// Lets go of an operation that returned without saying that it ends later.
  ///
  /// Where that was the last reference, it has failed by the time this returns.
  private func loosen(_ operation: inout FlowOperation?, _ slot: Int) {
    guard let source = operation?.source else { return }
    if let operation { state.withLock { $0.slots.loosen(slot, operation) } }
    weak let held = operation
    operation = nil
    if held != nil {
      let advice = "returned without finishing: taken as asynchronous. Call startWithAsynchronous() before returning."
      recorder.record(.warned(advice), source: source)
    }
  }

  func operationWillStart(ticket: Int) -> Bool {
    guard let source = state.withLock({ $0.slots[ticket]?.source }) else { return false }
    return recordStart(of: source)
  }

  func operationDidSettle(ticket: Int, _ settlement: Settlement) {
    // What is given up while the run stops has done as it was told, only before it was told.
    let isGivenUp = (settlement.error as? FlowError)?.code == .neverFinished && isStopping
    finishSlot(ticket, isGivenUp ? .cancelled : settlement, inLane: false)
  }

  private func finishSlot(_ index: Int, _ settlement: Settlement, inLane: Bool) {
    if let slot = state.withLock({ $0.slots.remove(index) }) { complete(slot, settlement, inLane: inLane) }
  }

  func operationDidReport(ticket: Int, fraction: Double) {
    guard let item = state.withLock({ $0.slots[ticket]?.source.item }) else {
      return report(fraction, item: nil)
    }
    report(fraction, item: item)
  }
}
