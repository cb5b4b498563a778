extension FlowRun {
  /// Runs a closure in this thread; it needs no operation, and no slot, for nobody could cancel it.
  func runClosure(
    _ work: RunWork, _ source: FlowEvent.Source, _ body: (FlowContext) throws -> (any Sendable)?
  ) -> Bool {
    let slot = RunSlots.Slot(work: work, source: source)
    guard recordStart(of: source) else {
      complete(slot, .cancelled, inLane: true)
      return true
    }
    do {
      let output = try body(FlowContext(run: self, source: source))
      complete(slot, .succeeded, output: output, inLane: true)
    } catch {
      complete(slot, Settlement(error), inLane: true)
    }
    return true
  }

  /// Runs a closure in a task of its own; the lane goes home.
  func runTask(
    _ work: RunWork, _ source: FlowEvent.Source,
    _ body: @escaping @Sendable (FlowContext) async throws -> (any Sendable)?
  ) -> Bool {
    guard recordStart(of: source) else {
      complete(RunSlots.Slot(work: work, source: source), .cancelled, inLane: true)
      return true
    }
    let context = FlowContext(run: self, source: source)
    startTask(work, source) {
      try await body(context)
    } done: { settlement, output in
      self.complete(RunSlots.Slot(work: work, source: source), settlement, output: output, inLane: false)
    }
    return false
  }

  /// Waits for the next item of a group whose items come one after the other.
  func pullItem(_ work: RunWork, _ name: String) -> Bool {
    guard let stream = state.withLock({ $0.group?.stream }) else { return true }
    switch stream.next() {
    case .item(let item): settlePull(work, item, inLane: true)
    case .end: settlePull(work, nil, inLane: true)
    case .later(let wait):
      let source = FlowEvent.Source(name)
      startTask(work, source, wait) { settlement, item in
        if case .succeeded = settlement {
          self.settlePull(work, item, inLane: false)
        } else {
          self.complete(RunSlots.Slot(work: work, source: source), settlement, inLane: false)
        }
      }
      return false
    }
    return true
  }

  private func settlePull(_ work: RunWork, _ item: (any Sendable)?, inLane: Bool) {
    settle(work, .pulled(isItem: item != nil), inLane: inLane) { state in
      if let item { state.group?.append(item) }
      return false
    }
  }

  /// Starts a task under a slot, so that it can be cancelled, and frees the slot when its work is done.
  private func startTask(
    _ work: RunWork, _ source: FlowEvent.Source, _ body: @escaping @Sendable () async throws -> (any Sendable)?,
    done: @escaping @Sendable (Settlement, (any Sendable)?) -> Void
  ) {
    let index = state.withLock { $0.slots.insert(RunSlots.Slot(work: work, source: source)) }
    tasks.spawn {
      var output: (any Sendable)?
      var settlement = Settlement.succeeded
      do { output = try await body() } catch { settlement = Task.isCancelled ? .cancelled : Settlement(error) }
      _ = self.state.withLock { $0.slots.remove(index) }
      done(settlement, output)
    } started: { task in
      let isStopping = self.state.withLock { state in
        state.slots.keep(task, in: index, for: work)
        return state.machine.isStopping
      }
      if isStopping { task.cancel() }
    }
  }
}
