import Foundation

/// A piece of work in a flow: subclass it and override ``run()``.
///
/// Return from `run()` to finish, or throw to fail. Declare its data with ``FlowInput`` and ``FlowOutput``:
///
/// ```swift
/// final class GreetOp: FlowOperation, @unchecked Sendable {
///   @FlowInput var visitor: String
///   @FlowOutput var greeting: String?
///
///   override func run() async throws {
///     greeting = "Hello, \(visitor)"
///     log(message: "greeted \(visitor)")
///   }
/// }
/// ```
/// For work that ends in a callback, override ``mainLogic()``, call ``startWithAsynchronous()``, and finish in the
/// callback:
///
/// ```swift
/// final class WaitOp: FlowOperation, @unchecked Sendable {
///   override func mainLogic() {
///     startWithAsynchronous()
///     DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.finishSuccessfully() }
///   }
/// }
/// ```
/// An operation runs once. It uses the data bucket of the flow that runs it. It is a correct `Operation`, so
/// it can also run without a flow or on another queue, with its own values. Every member may be called from any thread.
///
/// An operation that waits asynchronously ends as soon as it is cancelled. Its queue may then start the next operation
/// before that is cancelled too. So suspend a queue of your own around `cancelAllOperations()`, and no waiting
/// operation starts.
open class FlowOperation: Operation, @unchecked Sendable {
  // Invariant: all of the state is in `lifecycle`, which has a lock of its own.
  private let lifecycle = Locked(OperationLifecycle())
  /// The number of inputs and outputs that were created with the operation, including those that can't be found.
  final let portCount = PortCounter.take()

  /// Runs `body` with exclusive access to the state; `body` must not call other operations.
  @inline(__always)
  final func withLifecycle<Result>(_ body: (inout OperationLifecycle) -> Result) -> Result {
    lifecycle.withLock(body)
  }

  // MARK: To override

  /// Override this for work with a callback; finish before you return, or later after ``startWithAsynchronous()``.
  ///
  /// If it isn't overridden, or calls `super` without finishing, ``run()`` does the work.
  open func mainLogic() {
    withLifecycle { $0.wantsRun = true }
  }

  /// Override this to do the work: return to finish, or throw to fail.
  ///
  /// It runs in a task, which has the task-local values of the code that started the flow. Cancelling the operation
  /// cancels the task, and no other work; the operation ends when `run()` has returned.
  ///
  /// - Throws: The error with which the operation fails; a `CancellationError` counts as cancelled.
  open func run() async throws {
    throw FlowError(
      .notImplemented, "\(TypeName.of(type(of: self))) overrides neither mainLogic() nor run()",
      remedy: "Override run() and return from it, or override mainLogic() and finish in it.", step: displayName)
  }

  /// The name under which the operation finds its item in a group.
  open var primaryInputParamKey: String { "" }

  /// The name under which a group looks for the operation's output.
  open var primaryOutputParamKey: String { "" }

  /// Asks the operation to stop; if it waits asynchronously, it ends immediately, as cancelled.
  ///
  /// If its ``mainLogic()`` is running, the operation ends when that returns. Override this to stop the underlying
  /// work, and call `super`. A flow calls it only on an operation whose work has begun. An operation that waits
  /// asynchronously has ended by then, and its flow may have ended too; the flow's data can still be read.
  open override func cancel() {
    super.cancel()
    carryOut(withLifecycle { $0.cancel() })
  }

  /// Marks the operation as cancelled, as `Operation` does, without calling an override of ``cancel()``.
  final func markCancelled() { super.cancel() }

  // MARK: Finishing

  /// Declares that the operation will be finished later, from elsewhere, after ``mainLogic()`` has returned.
  ///
  /// The flow retains the operation until then. If the callback that should finish it is dropped, the flow waits until
  /// the flow is cancelled. ``FlowRun/waitingFor`` shows such operations.
  public final func startWithAsynchronous() {
    withLifecycle { $0.isAsynchronous = true }
  }

  /// Ends the operation successfully.
  ///
  /// A second finish changes nothing.
  public final func finishSuccessfully() {
    finish(.succeeded)
  }

  /// Ends the operation with a failure, or as cancelled if the error is a `CancellationError`.
  ///
  /// A second finish changes nothing.
  ///
  /// - Parameter error: The reason of the failure; it becomes the flow's error.
  public final func finishWithError(error: any Error) {
    finish(Settlement(error))
  }

  final func finish(_ settlement: Settlement) {
    switch withLifecycle({ $0.decide(settlement) }) {
    case .settle(let (ending, context)): report(ending, context)
    case .repeated: record(settlement.recorded(.repeated))
    case .later, .cancelRun: break
    }
  }

  // MARK: Identity

  /// A text that is unique to each operation, created when it is first needed.
  public final var identifier: String { withLifecycle { $0.identifier } }

  /// The name that summaries show: `[LoginOp]`, or `[UploadOp #3]` in a group.
  ///
  /// If `name` is set, it replaces the name of the type.
  public final var displayName: String { source.description }

  final var source: FlowEvent.Source {
    withLifecycle { $0.source } ?? FlowEvent.Source(ownName)
  }

  final var ownName: String { name ?? TypeName.of(type(of: self)) }

  /// The current stage of the operation's life.
  public final var state: FlowOperationState {
    withLifecycle { state in
      switch state.phase {
      case .idle, .claimed: .idle
      case .preparing, .running, .runningTask, .waiting: .executing
      case .settled: .finished((state.settlement ?? .cancelled).finishType)
      }
    }
  }

  // MARK: Operation

  /// Runs the operation on this thread, unless it has run before; called by a flow, by a queue, or by you.
  public final override func start() {
    executeAndReport()
  }

  /// Calls ``mainLogic()``.
  public final override func main() {
    mainLogic()
  }

  /// Makes the operation wait for another one to finish before it starts.
  ///
  /// On Linux, Foundation doesn't retain the operation that waits. A run that has begun ends its operations, and ended
  /// operations have no dependencies. Retain any other operation, as you retain a plain `Operation`, until the one that
  /// it waits for has finished, or remove the dependency first.
  ///
  /// - Parameter op: The other operation, in the same flow or anywhere else.
  open override func addDependency(_ op: Operation) {
    withLifecycle { $0.hasDependencies = true }
    super.addDependency(op)
    // The operation may have ended meanwhile, without this dependency.
    if isFinished { dropDependencies() }
  }

  /// Removes all dependencies on platforms where a dependency points to its dependent without retaining it.
  ///
  /// A dependency that has finished may still use that pointer, because Foundation is notified of the end a little
  /// later. So this is called while something retains the operation; in `deinit`, it may be too late.
  final func dropDependencies() {
    guard Operation.isPointedToByDependencies else { return }
    for dependency in super.dependencies { super.removeDependency(dependency) }
  }

  /// Calls the completion block in place of Foundation.
  final func callCompletionBlock() {
    if let block = super.completionBlock { DispatchQueue.global().async(execute: block) }
  }

  /// Always true, because the operation itself decides when it has finished.
  public final override var isAsynchronous: Bool { true }

  /// True if the operation runs, or waits for its asynchronous work.
  public final override var isExecuting: Bool {
    if Operation.announcesChanges { return withLifecycle { $0.shown == .executing } }
    return if case .executing = state { true } else { false }
  }

  /// True if the operation has ended.
  public final override var isFinished: Bool {
    withLifecycle { Operation.announcesChanges ? $0.shown == .finished : $0.phase == .settled }
  }

  deinit {
    // No code can finish the operation any more, so it fails instead of leaving its flow waiting.
    if withLifecycle({ $0.hasDependencies }) { dropDependencies() }
    guard withLifecycle({ $0.phase == .waiting }) else { return }
    let error = FlowError(
      .neverFinished, "it was freed without having finished",
      remedy: "Call finishSuccessfully() or finishWithError(error:) on every path, or startWithAsynchronous().")
    guard case .settle(let (ending, context)) = withLifecycle({ $0.decide(.failed(error)) }) else { return }
    callCompletionBlock()
    if let context { context.host.operationDidSettle(nil, context, ending.settlement) }
  }
}

extension FlowOperation {
  /// The connection to the run: the host that is informed of the end, and the name in the run; `nil` outside a run.
  final var context: FlowContext? { withLifecycle { $0.context } }

  /// A text that is the same for each attempt of this work, also after a resume, so that a server can do the work once.
  ///
  /// It consists of the run's identifier, the step's path, and the item's index. It is `nil` before the operation has
  /// started, and outside a flow.
  public final var idempotencyKey: String? { context?.idempotencyKey }

  /// The ``idempotencyKey`` of the work that this operation undoes; otherwise the operation's own.
  public final var stepIdempotencyKey: String? { context?.stepIdempotencyKey }

  /// The number of the attempt, counted from 1; `nil` before the operation has started, and outside a flow.
  public final var attempt: Int? { context?.attempt }

  /// The ending of the run so far, in an operation that undoes something or always runs at the end; otherwise `nil`.
  public final var runEnding: FlowEnding? { context?.ending }

  // MARK: Logging

  /// Adds a line to the flow's record; does nothing outside a flow or after the run has ended.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and ``displayName``.
  ///   - level: The importance of the line.
  public final func log(message: String, level: FlowLogLevel = .info) {
    guard let place = withLifecycle({ $0.logPlace }) else { return record(.logged(message, level)) }
    place.recorder.record(.logged(message, level), source: place.source)
  }

  /// Adds an event about the operation to the record of its run, if it has one.
  package final func record(_ event: FlowEvent.Kind) { record(.plain(event.changingTexts(.cut))) }

  /// Adds an event in its recorded form; does nothing after the run has ended.
  final func record(_ event: RecordedKind) {
    let (host, pastRun) = withLifecycle { ($0.host, $0.pastRun) }
    (host?.recorder ?? pastRun?.recorder)?.record(event, source: source)
  }

  /// Reports the fraction of its work that the operation has done, for the run's progress.
  ///
  /// - Parameter fraction: A value from 0 to 1; a value outside this range is clamped to it.
  public final func reportProgress(_ fraction: Double) { context?.reportProgress(fraction) }
}

/// The stage in an operation's life.
public enum FlowOperationState: Sendable {
  /// The operation has not started.
  case idle
  /// The operation runs, or waits for its asynchronous work.
  case executing
  /// The operation has ended.
  case finished(FlowOperationStateFinishType)
}

/// The way in which an operation ended.
public enum FlowOperationStateFinishType: Sendable {
  /// The operation succeeded.
  case successfully
  /// The operation failed with an error; if it was cancelled, a ``FlowError`` with the code `cancelled`.
  case withError(any Error)
  /// The operation asked for a name that isn't in the data bucket; the text contains the name.
  case withInsufficientInputData(String)
  /// The operation asked for another type than that of the data bucket's value; the text describes the value's type.
  case withMismatchInputDataType(String)
}

/// Creates operations, one for each item of a group.
public protocol FlowOperationCreator: SendableMetatype {
  /// Creates a new operation, which has not been used before.
  static func create() -> FlowOperation
}
