/// Work that a lane awaits: an asynchronous closure, or the `run()` of an operation that has started.
///
/// It is a closure and not an enum of what each needs, because a waiting task keeps all that its function has in hand. For
/// the same reason, what has become of it is left in the lane.
struct AwaitedWork: Sendable {
  struct End: Sendable {
    let ticket: WorkTicket
    let source: FlowEvent.Source
    let settlement: Settlement
    /// That of a group's item.
    var output: (any Sendable)?
    var operation: FlowOperation?

    /// Settles it; returns the next work if the lane goes on.
    func settle(in engine: RunEngine, goesOn: Bool) -> Claim? {
      let lane: LaneUse = goesOn ? .goesOn : .none
      guard let operation else { return engine.end(ticket, .settled(settlement), source, output: output, lane: lane) }
      guard let settlement = operation.runDidReturn(settlement) else { return nil }
      let output = engine.performer.output(of: operation, nil, source, settlement)
      return engine.end(ticket, .settled(settlement), source, output: output, lane: lane)
    }
  }

  typealias Step = @Sendable (FlowContext) async throws -> Void

  let ticket: WorkTicket
  /// The operation whose `run()` it is.
  let operation: FlowOperation?
  /// Does the work, and awaits its end.
  ///
  /// It runs where its caller does, so that no executor is asked on the way in and out.
  let perform: nonisolated(nonsending) @Sendable (TaskLane) async -> Void

  static func step(_ context: FlowContext, _ body: @escaping Step) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      do {
        try await body(context)
        lane.ended(context, output: nil)
      } catch { lane.ended(context, error) }
    }
  }

  static func item(_ context: FlowContext, _ item: any Sendable, _ body: @escaping GroupStep.AsyncItem) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      do { lane.ended(context, output: try await body(item, context)) } catch { lane.ended(context, error) }
    }
  }

  /// The `run()` of an operation; it knows itself whether it was cancelled.
  static func run(_ operation: FlowOperation, _ ticket: WorkTicket, _ source: FlowEvent.Source) -> AwaitedWork {
    AwaitedWork(ticket: ticket, operation: operation) { lane in
      var settlement = Settlement.succeeded
      do { try await operation.run() } catch { settlement = operation.runDidThrow(error) }
      lane.ended(End(ticket: ticket, source: source, settlement: settlement, operation: operation))
    }
  }

  /// The same, counted by the limiters of its step once its task calls it.
  func counted(as source: FlowEvent.Source, in engine: RunEngine) -> AwaitedWork {
    let ticket = ticket
    let perform = perform
    return AwaitedWork(ticket: ticket, operation: operation) { lane in
      engine.workBegins(ticket, source)
      await perform(lane)
    }
  }

  /// The same, known to a clock that is driven by a program.
  func known(to run: DrivenRun) -> AwaitedWork {
    let work = DrivenWork(run, ticket)
    let perform = perform
    return AwaitedWork(ticket: ticket, operation: operation) { lane in
      await DrivenWork.$current.withValue(work) { await perform(lane) }
    }
  }
}
