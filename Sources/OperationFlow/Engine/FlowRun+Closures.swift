extension FlowRun {
  /// Runs a closure in this thread; it needs no operation, for nobody could cancel it.
  func runClosure(
    _ context: FlowContext, hasStarted: Bool, lane: LaneUse = .goesOn,
    _ body: (FlowContext) throws -> (any Sendable)?
  ) -> Claim? {
    guard hasStarted || willStart(context.slot, context.source) else {
      return complete(context.slot, context.source, .cancelled, lane: lane)
    }
    do {
      let output = try body(context)
      return complete(context.slot, context.source, .succeeded, output: output, lane: lane)
    } catch {
      return complete(context.slot, context.source, Settlement(error), lane: lane)
    }
  }

  /// Runs a closure in a task of its own; the lane goes home.
  func runTask(
    _ context: FlowContext, hasStarted: Bool,
    _ body: @escaping @Sendable (FlowContext) async throws -> (any Sendable)?
  ) -> Claim? {
    guard hasStarted || willStart(context.slot, context.source) else {
      return complete(context.slot, context.source, .cancelled, lane: .goesOn)
    }
    startTask(in: context.slot) {
      try await body(context)
    } done: { settlement, output in
      self.complete(context.slot, context.source, settlement, output: output, lane: .none)
    }
    return nil
  }

  /// Waits for the next item of a group whose items come one after the other.
  func pullItem(_ claim: Claim, _ name: String) -> Claim? {
    guard let stream = state.withLock({ $0.group?.stream }) else { return nil }
    switch stream.next() {
    case .item(let item): return settlePull(claim.slot, item, lane: .goesOn)
    case .end: return settlePull(claim.slot, nil, lane: .goesOn)
    case .later(let wait):
      startTask(in: claim.slot, wait) { settlement, item in
        if case .succeeded = settlement {
          self.settlePull(claim.slot, item, lane: .none)
        } else {
          self.complete(claim.slot, FlowEvent.Source(name), settlement, lane: .none)
        }
      }
      return nil
    }
  }

  @discardableResult
  private func settlePull(_ slot: RunSlots.ID, _ item: (any Sendable)?, lane: LaneUse) -> Claim? {
    settle(slot, .pulled(isItem: item != nil), lane: lane) { state, _, _, _ in
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
