import Foundation

extension FlowOperation {
  /// How far a start has come when it returns.
  enum Execution: Sendable {
    /// It has ended; its host is told by this, and by nothing else.
    case ended(Settlement)
    /// It ends later, and its host is told then.
    case waits
    /// The same, but it never said so: it must not be held by its host, so that it fails once nobody can finish it.
    case waitsUndeclared
  }

  /// Joins the operation to its run, and starts it in this thread; `nil` where somebody else has it.
  final func execute(
    in host: any WorkHost, _ ticket: WorkTicket, _ source: FlowEvent.Source, _ type: OperationType,
    scope: ItemScope?, isReserved: Bool
  ) -> Execution? {
    // The operation's own values go, and a value that is freed may use the operation: so not under the lock.
    var own: ItemScope?
    defer { withExtendedLifetime(own) {} }
    let beginning = withLifecycle { state -> OperationLifecycle.Beginning? in
      if state.hasScope { own = state.scope }
      let attachment = OperationAttachment(host: host, ticket: ticket, source: source)
      return state.attach(attachment, scope: scope, isReserved: isReserved) ? state.begin() : nil
    }
    switch beginning {
    case nil: return nil
    case .ignore: return .waits
    case .settle(let ending): return .ended(conclude(ending))
    case .run:
      return work(
        mayRun: host.operationWillStart(self, ticket, source), readsInputs: type.declaresPorts || portCount > 0,
        host.tasks)
    }
  }

  /// Starts an operation that is in no run, or was joined to its run before, and tells the run of its end.
  @discardableResult
  final func executeAndTell() -> Execution {
    let (attachment, beginning) = withLifecycle { ($0.attachment, $0.begin()) }
    let execution: Execution
    switch beginning {
    case .ignore: execution = .waits
    case .settle(let ending): execution = .ended(conclude(ending))
    case .run:
      let mayRun = attachment.map { $0.host.operationWillStart(self, $0.ticket, $0.source) } ?? true
      execution = work(mayRun: mayRun, readsInputs: true, attachment?.host.tasks ?? TaskSpawner())
    }
    if case .ended(let settlement) = execution { tell(settlement, attachment) }
    return execution
  }

  private func work(mayRun: Bool, readsInputs: Bool, _ tasks: @autoclosure () -> TaskSpawner) -> Execution {
    postExecutingChanged()
    if !mayRun {
      finish(.cancelled)
      cancel()
    } else if !readsInputs || readInputs() {
      main()
    }
    switch withLifecycle({ $0.mainLogicReturned() }) {
    case .waits: return .waits
    case .waitsUndeclared: return .waitsUndeclared
    case .runs:
      startRun(tasks())
      return .waits
    case .settle(let ending): return .ended(conclude(ending))
    }
  }

  /// Runs `run()` in a task; the operation ends with it.
  private func startRun(_ tasks: TaskSpawner) {
    tasks.spawn {
      var settlement = Settlement.succeeded
      do { try await self.run() } catch { settlement = Settlement(error) }
      if let (ending, attachment) = self.withLifecycle({ $0.runReturned(settlement) }) {
        self.report(ending, attachment)
      }
    } started: { task in
      if self.withLifecycle({ $0.keep(task) }) { task.cancel() }
    }
  }

  /// Tells observers and the host, when the operation has ended outside the call that started it.
  final func report(_ ending: OperationLifecycle.Ending, _ attachment: OperationAttachment?) {
    tell(conclude(ending), attachment)
  }

  private func conclude(_ ending: OperationLifecycle.Ending) -> Settlement {
    if let outputs = ending.outputs { write(outputs.ports, outputs.attachment) }
    postFinished()
    return ending.settlement
  }

  private func tell(_ settlement: Settlement, _ attachment: OperationAttachment?) {
    if let attachment { attachment.host.operationDidSettle(self, attachment, settlement) }
  }

  /// Takes the operation for one run; nobody else can run it then.
  final func claim() -> Bool { withLifecycle { $0.claim() } }

  final func unclaim() { withLifecycle { $0.unclaim() } }

  /// Joins the operation to its run, which starts it later.
  final func attach(_ attachment: OperationAttachment, scope: ItemScope?, isReserved: Bool) -> Bool {
    // As above, what the operation held is handed out, to be freed outside the lock.
    let (isAttached, _) = withLifecycle { state in
      let own = state.scope
      return (state.attach(attachment, scope: scope, isReserved: isReserved), own)
    }
    return isAttached
  }

  /// Ends an operation that its run will never start, so that nobody waits for it.
  final func discard() {
    cancel()
    // An override of `cancel()` may not call `super`.
    withLifecycle { $0.cancelBeforeStart() }
    start()
  }
}
