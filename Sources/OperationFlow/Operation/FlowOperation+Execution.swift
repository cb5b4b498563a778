import Foundation

extension FlowOperation {
  /// How far a start has come when it returns.
  enum Execution: Sendable {
    /// It has ended; whoever started it is told by this, and by nothing else.
    case ended(OperationLifecycle.Ending)
    /// It ends later, and its host is told then.
    case waits
    /// The same, but it never said so: it must not be held by its host, so that it fails once nobody can finish it.
    case waitsUndeclared
  }

  /// Starts the operation in this thread.
  final func execute() -> Execution {
    let mayRun: Bool
    switch withLifecycle({ $0.begin() }) {
    case .ignore: return .waits
    case .settle(let ending):
      conclude(ending)
      return .ended(ending)
    case .run(let attachment):
      mayRun = attachment.map { $0.host.operationWillStart(self, $0) } ?? true
    }
    postExecutingChanged()
    if !mayRun {
      finish(.cancelled)
      cancel()
    } else if readInputs() {
      main()
    }
    switch withLifecycle({ $0.mainLogicReturned() }) {
    case .waits: return .waits
    case .waitsUndeclared: return .waitsUndeclared
    case .runs(let attachment):
      startRun(attachment?.host.tasks ?? TaskSpawner())
      return .waits
    case .settle(let ending):
      conclude(ending)
      return .ended(ending)
    }
  }

  /// Runs `run()` in a task; the operation ends with it.
  private func startRun(_ tasks: TaskSpawner) {
    tasks.spawn {
      var settlement = Settlement.succeeded
      do { try await self.run() } catch { settlement = Settlement(error) }
      if let ending = self.withLifecycle({ $0.runReturned(settlement) }) { self.report(ending) }
    } started: { task in
      if self.withLifecycle({ $0.keep(task) }) { task.cancel() }
    }
  }

  /// Tells observers and the host, when the operation has ended outside the call that started it.
  final func report(_ ending: OperationLifecycle.Ending) {
    conclude(ending)
    tell(ending)
  }

  private func conclude(_ ending: OperationLifecycle.Ending) {
    if case .succeeded = ending.settlement, !ending.outputs.isEmpty { write(ending.outputs, ending.attachment) }
    postFinished()
  }

  final func tell(_ ending: OperationLifecycle.Ending) {
    if let attachment = ending.attachment { attachment.host.operationDidSettle(self, attachment, ending.settlement) }
  }

  /// Takes the operation for one run; nobody else can run it then.
  final func claim() -> Bool { withLifecycle { $0.claim() } }

  final func unclaim() { withLifecycle { $0.unclaim() } }

  /// Joins the operation to its run, before it is started.
  final func attach(_ attachment: OperationAttachment, scope: ItemScope?, isReserved: Bool) -> Bool {
    // The operation's own values go, and a value that is freed may use the operation: so not under the lock.
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
