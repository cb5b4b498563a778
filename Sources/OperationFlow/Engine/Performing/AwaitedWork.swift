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
    func settle(in engine: RunEngine, goesOn: Bool) -> RunClaim? {
      let lane: LaneUse = goesOn ? .goesOn : .none
      guard let operation else { return engine.complete(ticket, source, settlement, output: output, lane: lane) }
      guard let settlement = operation.runDidReturn(settlement) else { return nil }
      let output = engine.performer.output(of: operation, nil, source, settlement)
      return engine.complete(ticket, source, settlement, output: output, lane: lane)
    }
  }

  typealias Step = @Sendable (FlowContext) async throws -> Void

  let ticket: WorkTicket
  /// The operation whose `run()` it is.
  let operation: FlowOperation?
  /// Does the work and awaits its end, and then that of what can follow in the same lane without more ado.
  ///
  /// It runs where its caller does, so that no executor is asked on the way in and out.
  let perform: nonisolated(nonsending) @Sendable (TaskLane) async -> Void

  /// A step's closure, and those of the steps after it.
  static func step(_ context: FlowContext, _ body: @escaping Step) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      var context = context
      var body = body
      repeat {
        do { try await body(context) } catch { return lane.ended(context, error) }
      } while lane.goOn(afterStep: &context, &body)
    }
  }

  static func item(_ context: FlowContext, _ item: any Sendable, _ body: @escaping GroupStep.AsyncItem) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      do { lane.ended(context, output: try await body(item, context)) } catch { lane.ended(context, error) }
    }
  }

  /// What a group does with an item, and with those after it.
  static func items(
    _ context: FlowContext, _ items: FlowGroupItems, _ body: @escaping GroupStep.AsyncItem
  ) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      var context = context
      while true {
        let output: (any Sendable)?
        do { output = try await body(items[context.source.item ?? 0], context) } catch {
          return lane.ended(context, error)
        }
        guard lane.goOn(afterItem: &context, output) else { return }
      }
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

  /// The same, known to a clock that is driven by a program.
  func known(to run: DrivenRun) -> AwaitedWork {
    let (work, perform) = (DrivenWork(run, ticket), perform)
    return AwaitedWork(ticket: ticket, operation: operation) { lane in
      await DrivenWork.$current.withValue(work) { await perform(lane) }
    }
  }
}
