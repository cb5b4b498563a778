import Foundation

extension FlowOperation {
  /// The state of an operation when a call that starts it returns.
  enum Execution: Sendable {
    /// It has ended; its host learns of it from this value only.
    case ended(Settlement)
    /// It ends later, and its host is informed then.
    case waits
    /// Its `run()` is to be called and awaited, which is all that is left of its work.
    case runs
    /// It ends later but never said so: its host must not hold it, so that it fails once nothing can finish it.
    case waitsUndeclared
  }

  /// Connects the operation to its run and starts it on this thread; `nil` if it belongs to another run.
  final func execute(
    in host: any OperationHost, _ ticket: WorkTicket, _ source: FlowEvent.Source, _ type: OperationType,
    scope: ItemScope?, isReserved: Bool
  ) -> Execution? {
    // The operation's own values go, and freeing a value may use the operation, so it must not happen under the lock.
    var own: ItemScope?
    defer { withExtendedLifetime(own) {} }
    let readsInputs = type.declaresPorts || portCount > 0
    switch withLifecycle({ state -> OperationLifecycle.Beginning? in
      if state.hasScope { own = state.scope }
      let isFree = state.attach(
        OperationAttachment(host: host, ticket: ticket, source: source), scope: scope, isReserved: isReserved)
      guard isFree else { return nil }
      return state.begin(readsInputs: readsInputs)
    }) {
    case nil: return nil
    case .ignore: return .waits
    case .settle(let ending): return .ended(conclude(ending))
    case .run:
      return work(mayRun: host.operationWillStart(self, ticket, source), readsInputs: readsInputs, type)
    }
  }

  /// Starts an operation that is in no run or already connected to its run, and informs the run of its end.
  @discardableResult
  final func executeAndReport() -> Execution {
    // A queue starts an operation as soon as Foundation has marked it, which may be before the lifecycle is told.
    let isMarked = isCancelled
    let (attachment, beginning) = withLifecycle { ($0.attachment, $0.begin(readsInputs: true, isMarked: isMarked)) }
    var execution: Execution
    switch beginning {
    case .ignore: execution = .waits
    case .settle(let ending): execution = .ended(conclude(ending))
    case .run:
      let mayRun = attachment.map { $0.host.operationWillStart(self, $0.ticket, $0.source) } ?? true
      execution = work(mayRun: mayRun, readsInputs: true)
      if case .runs = execution {
        startRun(attachment?.host.tasks ?? TaskSpawner())
        execution = .waits
      }
    }
    if case .ended(let settlement) = execution { tell(settlement, attachment) }
    return execution
  }

  private func work(mayRun: Bool, readsInputs: Bool, _ type: OperationType? = nil) -> Execution {
    changeExecuting { withLifecycle { $0.shown = .executing } }
    if !mayRun {
      // Its own `cancel()` is not called, because its work has not begun.
      finish(.cancelled)
      markCancelled()
    } else if !readsInputs || (readInputs(type) && withLifecycle { $0.beginWork() }) {
      main()
    }
    switch withLifecycle({ $0.mainLogicReturned() }) {
    case .waits: return .waits
    case .waitsAlone, .waitsUndeclared:
      // It may be freed from now on, when its user releases the last reference.
      let reference = WeakOperation(self)
      return withLifecycle { state in
        state.keep(reference)
        return state.isAsynchronous ? .waits : .waitsUndeclared
      }
    case .runs: return .runs
    case .settle(let ending): return .ended(conclude(ending))
    }
  }

  /// Gives the operation what cancels its `run()`; true if that is to be cancelled immediately.
  final func keepRun(_ cancel: RunCancellation) -> Bool { withLifecycle { $0.keepRun(cancel) } }

  /// Notes that `run()` has returned or thrown; returns how the operation ended by that.
  final func runDidReturn(_ settlement: Settlement) -> Settlement? {
    guard let (ending, _) = withLifecycle({ $0.runReturned(settlement) }) else { return nil }
    return conclude(ending)
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
      if self.keepRun(RunCancellation(by: RunTaskHandle(task))) { task.cancel() }
    }
  }

  /// Informs observers and the host of an operation that has ended outside the call that started it.
  @inline(never)
  final func report(_ ending: OperationLifecycle.Ending, _ attachment: OperationAttachment?) {
    tell(conclude(ending), attachment)
  }

  /// Tells Foundation that the operation has ended, once its outputs are written.
  ///
  /// Inlined, because each operation ends by it, and all of an ending would be copied for the call.
  @inline(__always)
  private func conclude(_ ending: OperationLifecycle.Ending) -> Settlement {
    if !ending.outputs.isEmpty { write(ending.outputs, withLifecycle { $0.takeAttachment() }) }
    if ending.isOfFreed {
      // Foundation would retain the operation for its completion block. Nothing waits for it: a waiter would hold it.
      if Operation.announcesChanges { withLifecycle { $0.shown = .finished } }
      callCompletionBlock()
    } else {
      let wasExecuting = Operation.announcesChanges && withLifecycle { $0.shown == .executing }
      changeFinished(wasExecuting: wasExecuting) { withLifecycle { $0.shown = .finished } }
      if ending.hasDependencies { dropDependencies() }
    }
    return ending.settlement
  }

  private func tell(_ settlement: Settlement, _ attachment: OperationAttachment?) {
    if let attachment { attachment.host.operationDidSettle(self, attachment, settlement) }
  }

  /// Reserves the operation for one run; no other run can start it then.
  final func claim() -> Bool { withLifecycle { $0.claim() } }

  /// Whether a run could reserve it.
  final var isFree: Bool { withLifecycle { $0.isFree } }

  final func unclaim() { withLifecycle { $0.unclaim() } }

  /// Connects the operation to its run, which starts it later.
  final func attach(_ attachment: OperationAttachment, scope: ItemScope?, isReserved: Bool) -> Bool {
    // As above, the operation's own values are returned, to be freed outside the lock.
    let (isAttached, _) = withLifecycle { state in
      let own = state.scope
      return (state.attach(attachment, scope: scope, isReserved: isReserved), own)
    }
    return isAttached
  }

  /// Ends an operation that its run will never start, so that nothing waits for it.
  ///
  /// Its `cancel()` is not called, unless something else has started it.
  @inline(never)
  final func discard(_ bucket: DataBucket) {
    if stop() { return callCancel() }
    keepInputsForDeinit(bucket)
    start()
  }

  /// Cancels the operation without its own `cancel()`, which may not call `super`, or may not return.
  ///
  /// A waiting operation has then ended, and its run has been informed. Returns true if `callCancel()` has to be
  /// called.
  @inline(never)
  final func stop() -> Bool {
    markCancelled()
    let (isAtWork, cancellation) = withLifecycle { $0.stop() }
    carryOut(cancellation)
    return isAtWork
  }

  /// Calls the operation's own `cancel()`, once nothing waits for that any more.
  final func callCancel() {
    cancel()
    _ = withLifecycle { $0.cancelReturned() }
  }

  /// Ends the operation or cancels its task, as decided under the lock.
  @inline(never)
  final func carryOut(_ cancellation: OperationLifecycle.Cancellation) {
    switch cancellation {
    case .settle(let (ending, attachment)): report(ending, attachment)
    case .cancelRun(let cancel): cancel()
    case .none: break
    }
  }
}
