/// What an operation knows of the run that it is part of: whom to tell of its end, and under which name it runs.
struct OperationAttachment: Sendable {
  let host: any OperationHost
  /// The host's own mark for the operation.
  let ticket: RunSlots.ID
  /// Under which name its events stand.
  let source: FlowEvent.Source
}

/// Whoever runs operations, with what they may use; it is told of each end exactly once.
protocol OperationHost: AnyObject, Sendable {
  var bucket: DataBucket { get }
  var recorder: Recorder { get }
  /// Makes the task of an operation that overrides `run()`.
  var tasks: TaskSpawner { get }

  /// An operation is about to start; where that is false, it must not, and ends as cancelled.
  func operationWillStart(_ operation: FlowOperation, _ ticket: RunSlots.ID, _ source: FlowEvent.Source) -> Bool
  /// An operation that did not end in the call that started it has ended; it is `nil` where it is being freed.
  func operationDidSettle(_ operation: FlowOperation?, _ attachment: OperationAttachment, _ settlement: Settlement)
  /// An operation says how far it has come.
  func operationDidReport(_ attachment: OperationAttachment, fraction: Double)
}
