import Foundation

extension FlowOperation {
  /// The state of an operation when a call that starts it returns.
  enum Execution: Sendable {
    /// The operation has ended; its host is informed only by this value.
    case ended(Settlement)
    /// The operation ends later, and its host is informed then.
    case waits
    /// The rest of its work is its `run()`, which the host has to call and await.
    case runs
    /// The operation ends later, but didn't declare that.
    ///
    /// Its host must not retain it, so that it fails once nothing can finish it.
    case waitsUndeclared
  }

  /// Connects the operation to its run and starts it on this thread; `nil` if it belongs to another run.
  final func execute(
    in host: any OperationHost, _ ticket: WorkTicket, _ source: FlowEvent.Source, _ type: OperationType,
    scope: ItemScope?, isReserved: Bool
  ) -> Execution? {
    // Attaching replaces the operation's own values. Freeing a value may use the operation, so it happens outside the
    // lock.
    var own: ItemScope?
    defer { withExtendedLifetime(own) {} }
    let readsInputs = type.declaresPorts || portCount > 0
    switch withLifecycle({ state -> OperationLifecycle.Beginning? in
      own = state.scope
      guard state.attach(host, ticket, source, scope: scope, isReserved: isReserved) else { return nil }
      return state.begin(reading: readsInputs ? type.ports : nil)
    }) {
    case nil: return nil
    case .ignore: return .waits
    case .settle(let ending): return .ended(conclude(ending))
    case .run:
      let mayRun = host.willStart(ticket, source, self)
      return work(mayRun: mayRun, reading: readsInputs ? type : nil)
    }
  }

  /// Starts an operation without a run, or one that is connected to its run; informs the run of the end.
  @discardableResult
  final func executeAndReport() -> Execution {
    // A queue may start a cancelled operation before its lifecycle is notified, but not before Foundation has marked
    // it.
    let isMarked = isCancelled
    let type = OperationType.of(Swift.type(of: self))
    let (context, beginning) = withLifecycle { ($0.context, $0.begin(reading: type.ports, isMarked: isMarked)) }
    var execution: Execution
    switch beginning {
    case .ignore: execution = .waits
    case .settle(let ending): execution = .ended(conclude(ending))
    case .run:
      let mayRun = context.map { $0.host.willStart($0.ticket, $0.source, self) } ?? true
      execution = work(mayRun: mayRun, reading: type)
      if case .runs = execution {
        if let context { context.host.workBeginsLater(context.ticket, context.source) }
        startRun(context)
        execution = .waits
      }
    }
    if case .ended(let settlement) = execution, let context {
      context.host.operationDidSettle(self, context, settlement)
    }
    return execution
  }

  /// Does the work, except `run()`; `type` is `nil` if there are no inputs to read.
  private func work(mayRun: Bool, reading type: OperationType?) -> Execution {
    changeExecuting { withLifecycle { $0.shown = .executing } }
    if !mayRun {
      // The operation's own `cancel()` isn't called, because its work has not begun.
      finish(.cancelled)
      markCancelled()
    } else if type.map(readInputs) ?? true, withLifecycle({ $0.beginWork() }) {
      main()
    }
    switch withLifecycle({ $0.mainLogicReturned(of: self) }) {
    case .waits: return .waits
    case .waitsUndeclared: return .waitsUndeclared
    case .runs: return .runs
    case .settle(let ending): return .ended(conclude(ending))
    }
  }

  final func keepRun(_ awaiting: any RunAwaiting) -> Bool { withLifecycle { $0.keepRun(awaiting) } }

  /// Ends an operation whose `run()` has returned or thrown; returns `nil` if it ended before.
  final func runDidReturn(_ settlement: Settlement) -> Settlement? {
    guard let (ending, _) = withLifecycle({ $0.runReturned(settlement) }) else { return nil }
    return conclude(ending)
  }

  /// Returns the ending for an error that `run()` has thrown; the record gets a warning if the operation had succeeded.
  final func runDidThrow(_ error: any Error) -> Settlement {
    let settlement = Settlement(error)
    if withLifecycle({ $0.settlement?.isSuccess ?? false }) { record(settlement.recorded(.repeated)) }
    return settlement
  }

  private func startRun(_ context: FlowContext?) {
    (context?.host.tasks ?? TaskSpawner()).spawn {
      if let context { context.host.workBegins(context.ticket, context.source) }
      var settlement = Settlement.succeeded
      do { try await self.run() } catch { settlement = self.runDidThrow(error) }
      if let (ending, context) = self.withLifecycle({ $0.runReturned(settlement) }) {
        self.report(ending, context)
      }
    } started: { task in
      if self.keepRun(RunTaskHandle(task)) { task.cancel() }
    }
  }

  /// Informs observers and the host of an operation that ended outside the call that started it.
  final func report(_ ending: OperationLifecycle.Ending, _ context: FlowContext?) {
    let settlement = conclude(ending)
    if let context { context.host.operationDidSettle(self, context, settlement) }
  }

  /// Writes the outputs, and then notifies Foundation that the operation has ended.
  private func conclude(_ ending: OperationLifecycle.Ending) -> Settlement {
    if !ending.outputs.isEmpty { write(ending.outputs, withLifecycle { $0.takeContext() }) }
    if ending.isOfFreed {
      // Foundation would retain the operation for its completion block. Nothing waits for it: a waiter would retain it.
      if Operation.announcesChanges { withLifecycle { $0.shown = .finished } }
      callCompletionBlock()
    } else {
      changeFinished { withLifecycle { $0.shown = .finished } }
      if ending.hasDependencies { dropDependencies() }
    }
    return ending.settlement
  }

  final func attach(
    _ host: any OperationHost, _ ticket: WorkTicket, _ source: FlowEvent.Source, scope: ItemScope?, isReserved: Bool
  ) -> Bool {
    // The operation's own values are returned, to be freed outside the lock.
    withLifecycle { ($0.scope, $0.attach(host, ticket, source, scope: scope, isReserved: isReserved)) }.1
  }

  /// Ends an operation that its run never starts, as cancelled or with an error.
  ///
  /// If there is no error, and other code has already started the operation's work, its `cancel()` is called.
  final func discard(_ bucket: DataBucket, _ error: (any Error)? = nil) {
    if let error { finishWithError(error: error) } else if stop() { return callCancel() }
    keepInputsForDeinit(bucket)
    start()
  }

  /// Cancels the operation without its own `cancel()`, which may not return; true if `callCancel()` has to be called.
  ///
  /// An operation that was waiting has ended when this returns, and its run is informed.
  final func stop() -> Bool {
    markCancelled()
    let (isAtWork, decision) = withLifecycle { $0.stop() }
    carryOut(decision)
    return isAtWork
  }

  /// Calls the operation's own `cancel()`, after everything else is done, because it may not return.
  final func callCancel() {
    cancel()
    _ = withLifecycle { $0.cancelReturned() }
  }

  final func carryOut(_ decision: OperationLifecycle.Decision) {
    switch decision {
    case .settle(let (ending, context)): report(ending, context)
    case .cancelRun(let awaiting, let ticket): awaiting.cancelRun(ticket)
    case .later, .repeated: break
    }
  }
}
