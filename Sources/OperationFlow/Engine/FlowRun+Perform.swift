import Foundation

extension FlowRun: OperationHost {
  /// Performs a piece of work in this thread.
  ///
  /// True where it is settled when this returns.
  func perform(_ work: RunWork) -> Bool {
    switch work {
    case .operation(let step): return runOperation(work, step)
    case .item(_, let index): return runItem(work, index)
    case .choose(let step): settle(work, chooseBranch(step))
    case .plan(let step): settle(work, planGroup(step))
    case .collect(let step): settle(work, collectGroup(step))
    case .finish: finish()
    }
    return true
  }

  // MARK: Operations

  private func runOperation(_ work: RunWork, _ step: Blueprint.StepID) -> Bool {
    let name = blueprint.steps[step].name
    guard case .operation(let source) = blueprint.steps[step].kind else { return true }
    return run(work, fallbackName: name) {
      switch source {
      case .instance(let instance):
        guard let operation = instance.take() else { throw FlowError.usedTwice(name) }
        return (operation, nil)
      case .factory(let make):
        let operation = make()
        guard operation.claim() else { throw FlowError.usedTwice(name) }
        return (operation, nil)
      }
    }
  }

  private func runItem(_ work: RunWork, _ index: Int) -> Bool {
    guard let (group, items) = state.withLock({ state in state.group.map { ($0.step, $0.items) } }) else { return true }
    let name = TypeName.of(group.creator)
    return run(work, fallbackName: name, item: index) {
      let item = items[index]
      let operation = try group.dispatcher.operation(for: item, at: index, creator: group.creator)
      guard operation.claim() else { throw FlowError.usedTwice(name) }
      let key = operation.primaryInputParamKey
      return (operation, ItemScope(inputName: key, input: item, isSensitive: items.isSensitive))
    }
  }

  /// Makes an operation and starts it.
  ///
  /// True where it has ended when this returns.
  private func run(
    _ work: RunWork, fallbackName: String, item: Int? = nil, make: () throws -> (FlowOperation, ItemScope?)
  ) -> Bool {
    var operation: FlowOperation?
    var scope: ItemScope?
    do {
      (operation, scope) = try make()
    } catch {
      let source = FlowEvent.Source(fallbackName, item: item)
      complete(RunSlots.Slot(work: work, source: source, operation: .none), Settlement(error), inLane: true)
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
  /// An operation that comes too late is cancelled first.
  private func place(
    _ operation: FlowOperation, _ work: RunWork, item: Int?, scope: ItemScope?
  ) -> (slot: Int, isReady: Bool) {
    let source = FlowEvent.Source(operation.ownName, item: item)
    let (slot, isStopping) = state.withLock { state in
      let slot = state.slots.insert(RunSlots.Slot(work: work, source: source, operation: .strong(operation)))
      return (slot, state.machine.isStopping)
    }
    operation.attach(
      OperationAttachment(host: self, ticket: slot, source: source, bucket: bucket, recorder: recorder), scope: scope)
    if isStopping { operation.cancel() }
    return (slot, operation.isReady)
  }

  /// Lets go of an operation that returned without saying that it ends later: where that was the last reference, it
  /// has failed by the time this returns.
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
}
