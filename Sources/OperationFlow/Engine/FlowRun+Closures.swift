extension FlowRun {
  /// Runs a closure in this thread; it needs no operation, for nobody could cancel it.
  func runClosure(
    _ context: FlowContext, hasStarted: Bool, _ body: (FlowContext) throws -> (any Sendable)?
  ) -> Claim? {
    guard hasStarted || willStart(context.slot, context.source) else {
      return complete(context.slot, context.source, .cancelled, inLane: true)
    }
    do {
      let output = try body(context)
      return complete(context.slot, context.source, .succeeded, output: output, inLane: true)
    } catch {
      return complete(context.slot, context.source, Settlement(error), inLane: true)
    }
  }

  /// Runs a closure in a task of its own; the lane goes home.
  func runTask(
    _ context: FlowContext, hasStarted: Bool,
    _ body: @escaping @Sendable (FlowContext) async throws -> (any Sendable)?
  ) -> Claim? {
    guard hasStarted || willStart(context.slot, context.source) else {
      return complete(context.slot, context.source, .cancelled, inLane: true)
    }
    startTask(in: context.slot) {
      try await body(context)
    } done: { settlement, output in
      self.complete(context.slot, context.source, settlement, output: output, inLane: false)
    }
    return nil
  }

  /// Waits for the next item of a group whose items come one after the other.
  func pullItem(_ claim: Claim, _ name: String) -> Claim? {
    guard let stream = state.withLock({ $0.group?.stream }) else { return nil }
    switch stream.next() {
    case .item(let item): return settlePull(claim.slot, item, inLane: true)
    case .end: return settlePull(claim.slot, nil, inLane: true)
    case .later(let wait):
      startTask(in: claim.slot, wait) { settlement, item in
        if case .succeeded = settlement {
          self.settlePull(claim.slot, item, inLane: false)
        } else {
          self.complete(claim.slot, FlowEvent.Source(name), settlement, inLane: false)
        }
      }
      return nil
    }
  }

  @discardableResult
  private func settlePull(_ slot: RunSlots.ID, _ item: (any Sendable)?, inLane: Bool) -> Claim? {
    settle(slot, .pulled(isItem: item != nil), inLane: inLane) { state, _, _, _ in
      if let item { state.group?.append(item) }
    }
  }

  /// Starts a task in a slot, so that it can be cancelled.
  private func startTask(
    in slot: RunSlots.ID, _ body: @escaping @Sendable () async throws -> (any Sendable)?,
    done: @escaping @Sendable (Settlement, (any Sendable)?) -> Void
  ) {
    tasks.spawn {
      var output: (any Sendable)?
      var settlement = Settlement.succeeded
      do { output = try await body() } catch { settlement = Task.isCancelled ? .cancelled : Settlement(error) }
      done(settlement, output)
    } started: { task in
      let isStopping = self.state.withLock { state in
        state.slots.track(.task(task), in: slot)
        return state.machine.isStopping
      }
      if isStopping { task.cancel() }
    }
  }
}
