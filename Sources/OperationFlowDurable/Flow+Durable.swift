import Foundation
import OperationFlow
import OperationFlowStorage

extension Flow {
  /// Starts a run that survives the end of the process, or resumes the run that was started under the same identifier.
  ///
  /// ```swift
  /// let outcome = await flow.run(id: "order-17", in: FileFlowStore(folder: folder))
  /// ```
  /// Work that has settled isn't run again: steps, items, branches, attempts and undos. Work that was running when the
  /// earlier process ended is run again, with the same `FlowContext.idempotencyKey`. If the run has ended, this returns
  /// its outcome, and runs nothing: `FlowOutcome.hadEnded` is true then. <doc:DurableRuns> describes the stored data.
  ///
  /// Cancelling the awaiting task cancels the run, which is an end like any other. In a task that is cancelled already,
  /// nothing begins, and the run is left as it was. Stored values have priority over values that are passed again.
  /// Values that the journal doesn't store, such as sensitive ones without a sealing, are read from `data` each time.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run in the store: a text that isn't empty.
  ///   - store: The store of the run's journal.
  ///   - data: The values with which the run's bucket starts; they override those of the flow.
  ///   - durability: The safety of the results in a power failure.
  ///   - sealing: The encryption of sensitive values; without it, they aren't stored.
  ///   - omitting: The names of values that the journal doesn't store, such as `[FlowKey.logFile.name]`.
  ///   - acceptsChanges: If true, the flow's name and the steps after everything that has begun may differ from those
  ///     of the flow that began the run; the step after the last one that has settled counts as begun.
  ///   - retryingFailure: If true, a failed run is resumed where it failed, as after ``FlowStore/retry(_:)``.
  /// - Returns: The outcome of the run. A run that another call or process is running fails with
  ///   ``OperationFlow/FlowError/Code/runInUse``, a flow that has changed otherwise with `changedFlow`, and a run that
  ///   can't be retried with `notRetryable`.
  public func run(
    id: String, in store: any FlowStore, with data: [String: any Sendable] = [:],
    durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil, omitting: Set<String> = [],
    acceptsChanges: Bool = false, retryingFailure: Bool = false
  ) async -> FlowOutcome {
    await DurableOpening(
      flow: self, launch: makeLaunch(), id: id, store: store, data: startingData.merging(data), given: data,
      durability: durability, sealing: sealing, omitting: omitting, acceptsChanges: acceptsChanges,
      retriesFailure: retryingFailure
    ).start(isCancelled: Task.isCancelled).outcomeForCaller
  }

  /// Runs the flow with typed data so that it survives the end of the process.
  ///
  /// It does what ``run(id:in:with:durability:sealing:omitting:acceptsChanges:retryingFailure:)`` does. The value of a
  /// sensitive key is shown as `<redacted>`.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run in the store: a text that isn't empty.
  ///   - store: The store of the run's journal.
  ///   - durability: The safety of the results in a power failure.
  ///   - sealing: The encryption of sensitive values; without it, they aren't stored.
  ///   - omitting: The names of values that the journal doesn't store, such as `[FlowKey.logFile.name]`.
  ///   - acceptsChanges: If true, the flow's name and the steps after everything that has begun may differ from those
  ///     of the flow that began the run; the step after the last one that has settled counts as begun.
  ///   - retryingFailure: If true, a failed run is resumed where it failed, as after ``FlowStore/retry(_:)``.
  ///   - change: A closure that changes the values with which the run's bucket starts: those of the flow.
  /// - Returns: The outcome of the run.
  /// - Throws: The error that `change` throws; nothing is started then.
  public nonisolated(nonsending) func run(
    id: String, in store: any FlowStore, durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil,
    omitting: Set<String> = [], acceptsChanges: Bool = false, retryingFailure: Bool = false,
    _ change: (inout FlowData) throws -> Void
  ) async rethrows -> FlowOutcome {
    let data = try startingData.changed(by: change)
    return await DurableOpening(
      flow: self, launch: makeLaunch(), id: id, store: store, data: data, given: data.assigned,
      durability: durability, sealing: sealing, omitting: omitting, acceptsChanges: acceptsChanges,
      retriesFailure: retryingFailure
    ).start(isCancelled: Task.isCancelled).outcomeForCaller
  }

  // Disfavored, because `flow.start` as a function value means the one that needs no store.

  /// Starts or resumes a run that survives the end of the process, and returns at once.
  ///
  /// ```swift
  /// let run = flow.start(id: "order-17", in: FileFlowStore(folder: folder))
  /// for await event in run.events { print(event) }
  /// let outcome = await run.outcome
  /// ```
  /// It does what ``run(id:in:with:durability:sealing:omitting:acceptsChanges:retryingFailure:)`` does, and the run is
  /// one like any other: it has events, a progress and a record, and can be paused, sent signals and cancelled. While
  /// its journal is read, the run waits for that; a pause or a cancellation counts already. A run that can't begin, for
  /// example because another process runs it, fails as in `run(id:in:)`. A run that had ended has an outcome, but no
  /// events.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run in the store: a text that isn't empty.
  ///   - store: The store of the run's journal.
  ///   - data: The values with which the run's bucket starts; they override those of the flow.
  ///   - durability: The safety of the results in a power failure.
  ///   - sealing: The encryption of sensitive values; without it, they aren't stored.
  ///   - omitting: The names of values that the journal doesn't store, such as `[FlowKey.logFile.name]`.
  ///   - acceptsChanges: If true, the flow's name and the steps after everything that has begun may differ from those
  ///     of the flow that began the run; the step after the last one that has settled counts as begun.
  ///   - retryingFailure: If true, a failed run is resumed where it failed, as after ``FlowStore/retry(_:)``.
  /// - Returns: The handle to the run, whose bucket is filled once the journal has been read.
  @_disfavoredOverload @discardableResult
  public func start(
    id: String, in store: any FlowStore, with data: [String: any Sendable] = [:],
    durability: FlowDurability = .grouped(), sealing: FlowSealing? = nil, omitting: Set<String> = [],
    acceptsChanges: Bool = false, retryingFailure: Bool = false
  ) -> FlowRun {
    DurableOpening(
      flow: self, launch: makeLaunch(), id: id, store: store, data: startingData.merging(data), given: data,
      durability: durability, sealing: sealing, omitting: omitting, acceptsChanges: acceptsChanges,
      retriesFailure: retryingFailure
    ).start(isCancelled: false)
  }
}
