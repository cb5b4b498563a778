/// Runs operations and closures and provides their data; it is informed of each operation's end exactly once.
protocol OperationHost: AnyObject, Sendable {
  var bucket: DataBucket { get }
  var recorder: Recorder { get }
  /// Creates the task of an operation that overrides `run()`.
  var tasks: TaskSpawner { get }

  func isStopping(_ ticket: WorkTicket) -> Bool
  /// The ending of the run so far; `nil` while it isn't decided.
  var ending: FlowEnding? { get }
  /// Returns the item that the work with this ticket undoes; `nil` for any other work.
  func undoneItem(_ ticket: WorkTicket) -> UndoneItem?
  /// Returns a text that is the same in all attempts of some work, also after its run was resumed.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket, isOfStep: Bool) -> String
  func workDidReport(_ ticket: WorkTicket, fraction: Double)
  /// Records a closure's use of a key; returns true only the first time in a run.
  func isNew(_ keyUse: String) -> Bool
  /// Reports that a step succeeded without an output that it declares.
  func outputIsMissing(_ name: String, _ source: FlowEvent.Source)
  /// Reports that an operation is about to start; if it returns false, the operation must not start, and ends as
  /// cancelled.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ operation: FlowOperation?) -> Bool
  /// Reports that the work of an operation is called now.
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source)
  /// Reports that the start after `willStart` only created a task, which calls the work later.
  func workBeginsLater(_ ticket: WorkTicket, _ source: FlowEvent.Source)
  /// Reports the end of an operation outside the call that started it; `operation` is `nil` if it is being freed.
  func operationDidSettle(_ operation: FlowOperation?, _ context: FlowContext, _ settlement: Settlement)
}

/// A weak reference to an operation, which is `nil` as soon as the operation begins to be freed.
final class WeakOperation: @unchecked Sendable {
  // Invariant: set once, in `init`; the runtime makes reading a weak reference safe on any thread.
  private(set) weak var operation: FlowOperation?

  init(_ operation: FlowOperation) { self.operation = operation }
}

/// A host's own identifier for a piece of work.
package typealias WorkTicket = SlabID

/// An object that awaits an operation's `run()`, and can cancel it.
///
/// It isn't a closure, which would need memory for each operation.
protocol RunAwaiting: AnyObject, Sendable {
  func cancelRun(_ ticket: WorkTicket?)
}

final class RunTaskHandle: RunAwaiting {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancelRun(_ ticket: WorkTicket?) { task.cancel() }
}
