/// A reference to the operation of a step, until a run starts it, so that it can be freed at its end.
package final class OperationInstance: Sendable {
  private let operation: Locked<FlowOperation?>

  init(_ operation: FlowOperation) { self.operation = Locked(operation) }

  deinit {
    var operation = take()
    FlowOperation.release(&operation)
  }

  var held: FlowOperation? { operation.withLock { $0 } }

  /// True if no run can use the operation: another run has reserved or used it, or it was started elsewhere.
  var isSpent: Bool { operation.withLock { $0?.withLifecycle { $0.phase != .idle } ?? true } }

  /// Reserves the operation for one run; returns false if the operation is spent.
  func reserve() -> Bool { operation.withLock { $0?.withLifecycle { $0.claim() } ?? false } }

  func release() { operation.withLock { $0?.withLifecycle { $0.unclaim() } } }

  func take() -> FlowOperation? { operation.withLock { $0.take() } }

  /// Ends the operation, which no run starts, and then removes it: two threads may do this at once.
  func discard(_ bucket: DataBucket) {
    held?.discard(bucket)
    _ = take()
  }
}

extension Blueprint {
  /// Reserves all operation objects for one run; if one of them is spent, reserves none, and returns its step.
  func reserveInstances() -> Step? {
    for (index, step) in instanceSteps.enumerated() {
      guard let instance = steps[step].instance, !instance.reserve() else { continue }
      for earlier in instanceSteps[..<index] { steps[earlier].instance?.release() }
      return steps[step]
    }
    return nil
  }

  /// Ends the operations that a run reserved and never started, so that nothing waits for them.
  package func discardInstances(_ bucket: DataBucket) {
    for step in instanceSteps { steps[step].instance?.discard(bucket) }
  }

  /// Ends the operations within a block that never start, because that part of the run has ended.
  ///
  /// The `always` steps of the blocks in `begun` still run, so their operations aren't ended, unlike those of other
  /// blocks.
  func discardInstances(ofEndedPart block: BlockID, begun: Set<BlockID>, _ bucket: DataBucket) {
    discardInstances(within: [block], hasEnd: { !begun.contains($0) }, bucket)
  }

  /// Ends the operations that the run can no longer reach after a cases step has chosen a branch, or none.
  func discardInstances(
    passedOverFor chosen: BlockID?, in cases: StepID, _ facts: BlueprintFacts, _ bucket: DataBucket
  ) {
    guard !instanceSteps.isEmpty else { return }
    if chosen != nil {
      discardInstances(within: steps[cases].innerBlocks.filter { $0 != chosen }, bucket)
    } else {
      let ended = facts.nodeEnded(by: cases)
      let owner = ended.flatMap { facts.paths.isBranch($0) ? facts.paths.parent(of: $0) : $0 }
      let inner = owner.map { steps[$0].innerBlocks } ?? []
      // This doesn't search the blocks of all steps, because a large flow would do so for each of its cases.
      let block = inner.first { blocks[$0].steps.first.flatMap(facts.paths.parent) == ended } ?? Blueprint.root
      // The `always` steps aren't ended until that part of the run has ended.
      discardInstances(within: [block], hasEnd: { _ in false }, bucket)
    }
  }

  /// Ends the operation of a step that is skipped, and those of the steps within it.
  package func discardInstances(of step: StepID, _ bucket: DataBucket) {
    guard !instanceSteps.isEmpty else { return }
    steps[step].instance?.discard(bucket)
    discardInstances(within: steps[step].innerBlocks, bucket)
  }

  /// Ends all operations within some blocks; `hasEnd` returns true if a block's `always` steps are included.
  private func discardInstances(
    within outer: [BlockID], hasEnd: (BlockID) -> Bool = { _ in true }, _ bucket: DataBucket
  ) {
    var waiting = outer
    while let block = waiting.popLast() {
      for step in blocks[block].steps {
        steps[step].instance?.discard(bucket)
        waiting += steps[step].innerBlocks
      }
      if hasEnd(block) { waiting += blocks[block].always }
    }
  }
}

package enum OperationSource: Sendable {
  /// A single object, created by the user, which can run once.
  case instance(OperationInstance)
  /// Creates an operation for each attempt. `type` is the operation's class, or the type that creates it.
  case factory(type: OperationType, @Sendable () -> FlowOperation)
}
