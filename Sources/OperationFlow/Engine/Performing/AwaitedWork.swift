/// Work that a lane awaits: an asynchronous closure, or the `run()` of an operation that has started.
///
/// It contains a closure instead of an enum, because a suspended task retains everything that its function uses. For
/// the same reason, the end of the work is stored in the lane.
struct AwaitedWork: Sendable {
  struct End: Sendable {
    let claim: Claim
    let source: FlowEvent.Source
    let settlement: Settlement
    /// The output of a group's item.
    var output: (any Sendable)?
    var operation: FlowOperation?

    /// Settles the work; returns the next work if the lane continues.
    func settle(in engine: RunEngine, _ lane: LaneUse) -> Claim? {
      guard let operation else { return engine.end(claim, .settled(settlement), source, output: output, lane: lane) }
      guard let settlement = operation.runDidReturn(settlement) else { return nil }
      let output = engine.performer.output(of: operation, nil, source, settlement)
      return engine.end(claim, .settled(settlement), source, output: output, lane: lane)
    }
  }

  typealias Step = @Sendable (FlowContext) async throws -> Void

  let claim: Claim
  /// The operation whose `run()` is awaited; `nil` for a closure.
  let operation: FlowOperation?
  /// Performs the work, and awaits its end.
  ///
  /// It runs on its caller's executor, so that nothing has to switch executors.
  let perform: nonisolated(nonsending) @Sendable (TaskLane) async -> Void

  static func step(_ claim: Claim, _ context: FlowContext, _ body: @escaping Step) -> AwaitedWork {
    AwaitedWork(claim: claim, operation: nil) { lane in
      do {
        try await body(context)
        lane.ended(claim, context.source, output: nil)
      } catch { lane.ended(claim, context.source, error) }
    }
  }

  static func item(
    _ claim: Claim, _ context: FlowContext, _ item: any Sendable, _ body: @escaping GroupStep.AsyncItem
  ) -> AwaitedWork {
    AwaitedWork(claim: claim, operation: nil) { lane in
      do { lane.ended(claim, context.source, output: try await body(item, context)) } catch {
        lane.ended(claim, context.source, error)
      }
    }
  }

  /// Returns the work that calls an operation's `run()`; the operation itself detects whether it was cancelled.
  static func run(_ operation: FlowOperation, _ claim: Claim, _ source: FlowEvent.Source) -> AwaitedWork {
    AwaitedWork(claim: claim, operation: operation) { lane in
      var settlement = Settlement.succeeded
      do { try await operation.run() } catch { settlement = operation.runDidThrow(error) }
      lane.ended(End(claim: claim, source: source, settlement: settlement, operation: operation))
    }
  }

  /// Returns a copy that the limiters of its step count once its task calls the work.
  func counted(as source: FlowEvent.Source, in engine: RunEngine) -> AwaitedWork {
    let claim = claim
    let perform = perform
    return AwaitedWork(claim: claim, operation: operation) { lane in
      engine.workBegins(claim.ticket, source)
      await perform(lane)
    }
  }

  /// Returns a copy whose code is attributed to this work, for a clock that a program drives.
  func known(to run: DrivenRun) -> AwaitedWork {
    let work = DrivenWork(run, claim.ticket)
    let perform = perform
    return AwaitedWork(claim: claim, operation: operation) { lane in
      await DrivenWork.$current.withValue(work) { await perform(lane) }
    }
  }
}
