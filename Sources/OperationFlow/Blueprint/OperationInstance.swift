/// Holds the operation of a step until a run takes it, so that it lives no longer than needed.
package final class OperationInstance: Sendable {
  private let operation: Locked<FlowOperation?>

  init(_ operation: FlowOperation) { self.operation = Locked(operation) }

  deinit {
    var operation = take()
    FlowOperation.release(&operation)
  }

  var held: FlowOperation? { operation.withLock { $0 } }

  /// Whether another run has it or has had it, or whether it runs or has run elsewhere.
  var isSpent: Bool { operation.withLock { $0?.withLifecycle { $0.phase != .idle } ?? true } }

  /// Reserves the operation for one run; false if it is spent.
  func reserve() -> Bool { operation.withLock { $0?.withLifecycle { $0.claim() } ?? false } }

  func giveBack() { operation.withLock { $0?.withLifecycle { $0.unclaim() } } }

  func take() -> FlowOperation? { operation.withLock { $0.take() } }

  /// Ends the operation, which no run starts; it is held until then, because two threads may do this.
  func discard(_ bucket: DataBucket) {
    held?.discard(bucket)
    _ = take()
  }
}

extension Blueprint {
  /// Reserves all operations created in advance for one run, or none if a step's operation is taken; returns that step.
  func reserveInstances() -> Step? {
    for (index, step) in instanceSteps.enumerated() {
      guard let instance = steps[step].instance, !instance.reserve() else { continue }
      for earlier in instanceSteps[..<index] { steps[earlier].instance?.giveBack() }
      return steps[step]
    }
    return nil
  }

  /// Ends the operations that a run reserved and never started, so that nothing waits for them.
  package func discardInstances(_ bucket: DataBucket) {
    for step in instanceSteps { steps[step].instance?.discard(bucket) }
  }

  /// Ends the operations that never begin because a part of the run has ended, the steps within a block.
  ///
  /// What blocks that have `begun` have for the end still runs; what the others have doesn't.
  func discardInstances(ofEndedPart block: BlockID, begun: Set<BlockID>, _ bucket: DataBucket) {
    discardInstances(within: [block], hasEnd: { !begun.contains($0) }, bucket)
  }

  /// Ends the operations that can't be reached any more once a branch of a cases step is chosen, or none is.
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
      // Not among the blocks of all steps: a large flow would look through them for each of its cases.
      let block = inner.first { blocks[$0].steps.first.flatMap(facts.paths.parent) == ended } ?? Blueprint.root
      // What runs at the end is left until that part of the run has ended.
      discardInstances(within: [block], hasEnd: { _ in false }, bucket)
    }
  }

  /// Ends the operation of a step that is skipped, and those of the steps within it.
  package func discardInstances(of step: StepID, _ bucket: DataBucket) {
    guard !instanceSteps.isEmpty else { return }
    steps[step].instance?.discard(bucket)
    discardInstances(within: steps[step].innerBlocks, bucket)
  }

  /// Ends all operations within some blocks; `hasEnd` says whether those that a block has for the end are among them.
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
  /// Created anew for each run, when the step is reached; `type` is what is created, or what creates it.
  case factory(type: OperationType, @Sendable () -> FlowOperation)
}
