/// Work that a lane awaits: an asynchronous closure, or the `run()` of an operation that has started.
///
/// It is a closure and not an enum of what each needs, because a waiting task keeps all that its function has in hand.
struct AwaitedWork: Sendable {
  /// What has become of it.
  enum Outcome: Sendable {
    case ended(End)
    /// It has ended the short way, and this comes next.
    case claimed(RunClaim)
  }

  /// How it has ended.
  struct End: Sendable {
    let ticket: WorkTicket
    let source: FlowEvent.Source
    let settlement: Settlement
    /// That of a group's item.
    var output: (any Sendable)?
    /// The operation whose `run()` it was.
    var operation: FlowOperation?
  }

  typealias Step = @Sendable (FlowContext) async throws -> Void

  let ticket: WorkTicket
  /// The operation whose `run()` it is.
  let operation: FlowOperation?
  /// Does the work and awaits its end, and then that of what can follow in the same lane without more ado.
  ///
  /// It runs where its caller does, so that no executor is asked on the way in and out.
  let perform: nonisolated(nonsending) @Sendable (TaskLane) async -> Outcome

  /// A step's closure, and those of the steps after it.
  static func step(_ context: FlowContext, _ body: @escaping Step) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { lane in
      var (context, body) = (context, body)
      while true {
        do { try await body(context) } catch { return .ended(End(context, error)) }
        switch lane.goOn(afterStep: &context, &body) {
        case .awaited: continue
        case .longWay: return .ended(End(context))
        case .claimed(let claim): return .claimed(claim)
        }
      }
    }
  }

  /// What a group does with one item.
  static func item(
    _ context: FlowContext, _ item: any Sendable,
    _ body: @escaping GroupStep.AsyncItem
  ) -> AwaitedWork {
    AwaitedWork(ticket: context.ticket, operation: nil) { _ in
      do { return .ended(End(context, output: try await body(item, context))) } catch {
        return .ended(End(context, error))
      }
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
          return .ended(End(context, error))
        }
        switch lane.goOn(afterItem: &context, output) {
        case .awaited: continue
        case .longWay: return .ended(End(context, output: output))
        case .claimed(let claim): return .claimed(claim)
        }
      }
    }
  }

  /// The `run()` of an operation; it knows itself whether it was cancelled.
  static func run(_ operation: FlowOperation, _ ticket: WorkTicket, _ source: FlowEvent.Source) -> AwaitedWork {
    AwaitedWork(ticket: ticket, operation: operation) { _ in
      var settlement = Settlement.succeeded
      do { try await operation.run() } catch { settlement = Settlement(error) }
      return .ended(End(ticket: ticket, source: source, settlement: settlement, operation: operation))
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
    let output = StepPerformer(engine: engine).output(of: operation, nil, source, settlement)
    return engine.complete(ticket, source, settlement, output: output, lane: lane)
  }
}
