extension FlowRun: OperationHost {
  /// Makes an operation and starts it.
  ///
  /// True where it has ended when this returns.
  func run(
    _ work: RunWork, name: String, item: Int? = nil, make: () throws -> (FlowOperation, ItemScope?)
  ) -> Bool {
    var operation: FlowOperation?
    var scope: ItemScope?
    do {
      (operation, scope) = try make()
    } catch {
      let slot = RunSlots.Slot(work: work, source: FlowEvent.Source(name, item: item))
      complete(slot, Settlement(error), inLane: true)
      return true
    }
    guard let (slot, isReady) = operation.map({ place($0, work, item: item, scope: scope) }) else { return true }
    if !isReady {
      // Foundation stops the program where `start()` is called on an operation that is not ready.
      operation.map(enqueue)
      return false
    }
    switch operation?.execute() {
    case .ended(let ending):
      if let slot = state.withLock({ $0.slots.remove(slot) }) { complete(slot, ending.settlement, inLane: true) }
      return true
    case .waitsUndeclared:
      loosen(&operation, slot)
      return false
    case .waits, nil:
      return false
    }
  }

  /// Joins an operation to this run, under a slot of its own.
  ///
  /// An operation that comes too late is cancelled before it starts.
  private func place(
    _ operation: FlowOperation, _ work: RunWork, item: Int?, scope: ItemScope?
  ) -> (slot: Int, isReady: Bool) {
    let source = FlowEvent.Source(operation.ownName, item: item)
    let (slot, isStopping) = state.withLock { state in
      let slot = RunSlots.Slot(work: work, source: source, running: .operation(operation))
      return (state.slots.insert(slot), state.machine.isStopping)
    }
    let attachment = OperationAttachment(
      host: self, ticket: slot, source: source, bucket: bucket, recorder: recorder, tasks: tasks)
    operation.attach(attachment, scope: scope)
    if isStopping { operation.cancel() }
    return (slot, operation.isReady)
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

  func operationDidSettle(ticket: Int, _ settlement: Settlement) {
    if let slot = state.withLock({ $0.slots.remove(ticket) }) { complete(slot, settlement, inLane: false) }
  }

  func operationDidReport(ticket: Int, fraction: Double) {
    guard let item = state.withLock({ $0.slots[ticket]?.source.item }) else {
      return report(fraction, item: nil)
    }
    report(fraction, item: item)
  }
}
