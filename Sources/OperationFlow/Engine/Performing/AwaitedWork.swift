/// Work that a lane awaits: an asynchronous closure, or the `run()` of an operation that has started.
///
/// It is a closure and not an enum of what each needs, because a waiting task keeps all that its function has in hand.
struct AwaitedWork: Sendable {
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

  let ticket: WorkTicket
  /// The operation whose `run()` it is.
  private let operation: FlowOperation?
  /// Does the work and awaits its end.
  ///
  /// It runs where its caller does, so that no executor is asked on the way in and out.
  let perform: nonisolated(nonsending) @Sendable () async -> End

  /// A step's closure.
  static func step(
    _ context: FlowContext, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) {
      do {
        try await body(context)
        return End(context)
      } catch {
        return End(context, error)
      }
    }
  }

  /// What a group does with one item.
  static func item(
    _ context: FlowContext, _ item: any Sendable,
    _ body: @escaping GroupStep.AsyncItem
  ) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) {
      do {
        return End(context, output: try await body(item, context))
      } catch {
        return End(context, error)
      }
    }
  }

  /// The `run()` of an operation; it knows itself whether it was cancelled.
  static func run(_ operation: FlowOperation, _ ticket: WorkTicket, _ source: FlowEvent.Source) -> AwaitedWork {
    AwaitedWork(ticket: ticket, operation: operation) {
      var settlement = Settlement.succeeded
      do { try await operation.run() } catch { settlement = Settlement(error) }
      return End(ticket: ticket, source: source, settlement: settlement, operation: operation)
    }
  }

  /// The same, known to a clock that is driven by a program.
  func known(to run: DrivenRun) -> AwaitedWork {
    let (work, perform) = (DrivenWork(run, ticket), perform)
    return AwaitedWork(ticket: ticket, operation: operation) {
      await DrivenWork.$current.withValue(work) { await perform() }
    }
  }

  /// Lets the run cancel it, through the lane that awaits it.
  func track(in lane: TaskLane, _ engine: RunEngine) {
    let ticket = ticket
    // The run knows the operation.
    let isCancelled = operation?.keepRun { lane.cancel(ticket) } ?? engine.track(.lane(lane, ticket), ticket)
    if isCancelled { lane.cancel(ticket) }
  }
}

extension AwaitedWork.End {
  fileprivate init(_ context: FlowContext, output: (any Sendable)? = nil) {
    self.init(ticket: context.ticket, source: context.source, settlement: .succeeded, output: output)
  }

  fileprivate init(_ context: FlowContext, _ error: any Error) {
    let settlement = Task.isCancelled ? .cancelled : Settlement(error)
    self.init(ticket: context.ticket, source: context.source, settlement: settlement)
  }

  /// Settles it; returns the next work if the lane goes on.
  func settle(in engine: RunEngine, goesOn: Bool) -> RunClaim? {
    let lane: LaneUse = goesOn ? .goesOn : .none
    guard let operation else { return engine.complete(ticket, source, settlement, output: output, lane: lane) }
    guard let settlement = operation.runDidReturn(settlement) else { return nil }
    let output = OperationPerformer(engine: engine).output(of: operation, nil, source, settlement)
    return engine.complete(ticket, source, settlement, output: output, lane: lane)
  }
}
