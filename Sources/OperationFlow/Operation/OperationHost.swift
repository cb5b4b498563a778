/// Runs operations and closures and provides what they use; it is informed of each operation's end exactly once.
protocol OperationHost: AnyObject, Sendable {
  var bucket: DataBucket { get }
  var recorder: Recorder { get }
  /// Creates the task of an operation that overrides `run()`.
  var tasks: TaskSpawner { get }

  func isStopping(_ ticket: WorkTicket) -> Bool
  /// How the run has ended so far; `nil` while its end isn't decided.
  var ending: FlowEnding? { get }
  /// The item that the work with a ticket undoes; `nil` for any other work.
  func undoneItem(_ ticket: WorkTicket) -> UndoneItem?
  /// What all attempts of some work have in common, also after its run was resumed.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket, isOfStep: Bool) -> String
  func workDidReport(_ ticket: WorkTicket, fraction: Double)
  /// Whether the run has not been warned yet of a closure's use of a key.
  func isNew(_ keyUse: String) -> Bool
  /// A step has succeeded without an output that it declares.
  func outputIsMissing(_ name: String, _ source: FlowEvent.Source)
  /// An operation is about to start; if this returns false, the operation must not start, and ends as cancelled.
  func willStart(_ ticket: WorkTicket, _ source: FlowEvent.Source, _ operation: FlowOperation?) -> Bool
  /// The work of an operation is called now.
  func workBegins(_ ticket: WorkTicket, _ source: FlowEvent.Source)
  /// What `willStart` has announced only leads to a task that calls the work.
  func workBeginsLater(_ ticket: WorkTicket, _ source: FlowEvent.Source)
  /// An operation that did not end in the call that started it has ended; `nil` if it is being freed.
  func operationDidSettle(_ operation: FlowOperation?, _ context: FlowContext, _ settlement: Settlement)
}

/// A weak reference to an operation, which is found until it begins to be freed.
final class WeakOperation: @unchecked Sendable {
  // Invariant: set once, in `init`; the runtime makes reading a weak reference safe on any thread.
  private(set) weak var operation: FlowOperation?

  init(_ operation: FlowOperation) { self.operation = operation }
}

/// A host's own identifier for a piece of work that it has handed out.
package typealias WorkTicket = SlabID

/// What awaits the `run()` of an operation, and can cancel it: no closure, which would take memory for each operation.
protocol RunAwaiting: AnyObject, Sendable {
  func cancelRun(_ ticket: WorkTicket?)
}

final class RunTaskHandle: RunAwaiting {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancelRun(_ ticket: WorkTicket?) { task.cancel() }
}
