extension FlowRun {
  /// Runs a closure in this thread; it needs no operation, for nobody could cancel it.
  func runClosure(
    _ claim: Claim, _ source: FlowEvent.Source, _ body: (FlowContext) throws -> (any Sendable)?
  ) -> LaneStep {
    guard willStart(claim.slot, source) else { return complete(claim.slot, source, .cancelled, inLane: true) }
    do {
      let output = try body(FlowContext(run: self, source: source))
      return complete(claim.slot, source, .succeeded, output: output, inLane: true)
    } catch {
      return complete(claim.slot, source, Settlement(error), inLane: true)
    }
  }

  /// Runs a closure in a task of its own; the lane goes home.
  func runTask(
    _ claim: Claim, _ source: FlowEvent.Source,
    _ body: @escaping @Sendable (FlowContext) async throws -> (any Sendable)?
  ) -> LaneStep {
    guard willStart(claim.slot, source) else { return complete(claim.slot, source, .cancelled, inLane: true) }
    let context = FlowContext(run: self, source: source)
    startTask(claim) {
      try await body(context)
    } done: { settlement, output in
      self.complete(claim.slot, source, settlement, output: output, inLane: false)
    }
    return .leave
  }

  /// Waits for the next item of a group whose items come one after the other.
  func pullItem(_ claim: Claim, _ name: String) -> LaneStep {
    guard let stream = state.withLock({ $0.group?.stream }) else { return .leave }
    switch stream.next() {
    case .item(let item): return settlePull(claim.slot, item, inLane: true)
    case .end: return settlePull(claim.slot, nil, inLane: true)
    case .later(let wait):
      startTask(claim, wait) { settlement, item in
        if case .succeeded = settlement {
          self.settlePull(claim.slot, item, inLane: false)
        } else {
          self.complete(claim.slot, FlowEvent.Source(name), settlement, inLane: false)
        }
      }
      return .leave
    }
  }

  @discardableResult
  private func settlePull(_ slot: Int, _ item: (any Sendable)?, inLane: Bool) -> LaneStep {
    settle(slot, .pulled(isItem: item != nil), inLane: inLane) { state, _ in
      if let item { state.group?.append(item) }
      return false
    }
  }

  /// Starts a task in a slot, so that it can be cancelled.
  private func startTask(
    _ claim: Claim, _ body: @escaping @Sendable () async throws -> (any Sendable)?,
    done: @escaping @Sendable (Settlement, (any Sendable)?) -> Void
  ) {
    tasks.spawn {
      var output: (any Sendable)?
      var settlement = Settlement.succeeded
      do { output = try await body() } catch { settlement = Task.isCancelled ? .cancelled : Settlement(error) }
      done(settlement, output)
    } started: { task in
      let isStopping = self.state.withLock { state in
        state.slots.set(.task(task), in: claim.slot, for: claim.work)
        return state.machine.isStopping
      }
      if isStopping { task.cancel() }
    }
  }
}
