/// Work that a lane awaits: an asynchronous closure, or the `run()` of an operation that has started.
enum AwaitedWork: Sendable {
  case step(FlowContext, @Sendable (FlowContext) async throws -> Void)
  case item(FlowContext, any Sendable, @Sendable (any Sendable, FlowContext) async throws -> (any Sendable)?)
  case run(FlowOperation, WorkTicket, FlowEvent.Source)

  /// What has become of it.
  struct End: Sendable {
    let ticket: WorkTicket
    let source: FlowEvent.Source
    let settlement: Settlement
    /// That of a group's item.
    var output: (any Sendable)?
    /// The operation whose `run()` it was.
    var operation: FlowOperation?
  }

  var ticket: WorkTicket {
    switch self {
    case .step(let context, _), .item(let context, _, _): context.ticket
    case .run(_, let ticket, _): ticket
    }
  }

  private var source: FlowEvent.Source {
    switch self {
    case .step(let context, _), .item(let context, _, _): context.source
    case .run(_, _, let source): source
    }
  }

  private var operation: FlowOperation? { if case .run(let operation, _, _) = self { operation } else { nil } }

  /// Lets the run cancel it, through the lane that awaits it.
  func track(in lane: TaskLane, _ engine: RunEngine) {
    let ticket = ticket
    let isCancelled: Bool
    switch self {
    case .step, .item: isCancelled = engine.track(.lane(lane, ticket), ticket)
    // The run knows the operation.
    case .run(let operation, _, _): isCancelled = operation.keepRun { lane.cancel(ticket) }
    }
    if isCancelled { lane.cancel(ticket) }
  }

  /// Awaits its end.
  func perform() async -> End {
    do {
      var output: (any Sendable)?
      switch self {
      case .step(let context, let body): try await body(context)
      case .item(let context, let item, let body): output = try await body(item, context)
      case .run(let operation, _, _): try await operation.run()
      }
      return End(ticket: ticket, source: source, settlement: .succeeded, output: output, operation: operation)
    } catch {
      // An operation knows itself whether it was cancelled.
      let settlement = Task.isCancelled && operation == nil ? .cancelled : Settlement(error)
      return End(ticket: ticket, source: source, settlement: settlement, operation: operation)
    }
  }
}

extension AwaitedWork.End {
  /// Settles it; returns the next work if the lane goes on.
  func settle(in engine: RunEngine, goesOn: Bool) -> RunClaim? {
    let lane: LaneUse = goesOn ? .goesOn : .none
    guard let operation else { return engine.complete(ticket, source, settlement, output: output, lane: lane) }
    guard let settlement = operation.runDidReturn(settlement) else { return nil }
    let output = OperationPerformer(engine: engine).output(of: operation, nil, source, settlement)
    return engine.complete(ticket, source, settlement, output: output, lane: lane)
  }
}
