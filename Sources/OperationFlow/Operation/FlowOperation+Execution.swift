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
    switch lifecycle.withLock({ $0.begin() }) {
    case .ignore: return .waits
    case .settle(let ending):
      conclude(ending)
      return .ended(ending)
    case .run(let attachment):
      attachment?.recorder.record(.started, source: attachment?.source ?? source)
    }
    postExecutingChanged()
    if readInputs() { main() }
    switch lifecycle.withLock({ $0.mainLogicReturned() }) {
    case .waits: return .waits
    case .waitsUndeclared: return .waitsUndeclared
    case .runs(let attachment):
      startRun(attachment?.tasks ?? TaskSpawner())
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
      if let ending = self.lifecycle.withLock({ $0.runReturned(settlement) }) { self.report(ending) }
    } started: { task in
      if self.lifecycle.withLock({ $0.keep(task) }) { task.cancel() }
    }
  }

  /// Tells observers and the host, when the operation has ended outside the call that started it.
  final func report(_ ending: OperationLifecycle.Ending) {
    conclude(ending)
    tell(ending)
  }

  private func conclude(_ ending: OperationLifecycle.Ending) {
    if case .succeeded = ending.settlement { writeOutputs(ending.attachment) }
    postFinished()
  }

  final func tell(_ ending: OperationLifecycle.Ending) {
    ending.attachment?.host.operationDidSettle(ticket: ending.attachment?.ticket ?? 0, ending.settlement)
  }

  /// Takes the operation for one run; nobody else can run it then.
  final func claim() -> Bool { lifecycle.withLock { $0.claim() } }

  final func unclaim() { lifecycle.withLock { $0.unclaim() } }

  /// Joins the operation to its run, before it is started.
  final func attach(_ attachment: OperationAttachment, scope: ItemScope?) {
    lifecycle.withLock { state in
      state.attachment = attachment
      state.source = attachment.source
      state.scope = scope
    }
  }

  /// Ends an operation that its run will never start, so that nobody waits for it.
  final func discard() {
    cancel()
    start()
  }
}
