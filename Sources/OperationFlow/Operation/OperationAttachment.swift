/// What an operation knows of the run that it is part of: its bucket, its log, and whom to tell of its end.
struct OperationAttachment: Sendable {
  let host: any OperationHost
  /// The host's own mark for the operation.
  let ticket: Int
  /// Under which name its events stand.
  let source: FlowEvent.Source
  let bucket: DataBucket
  let recorder: Recorder
  /// Makes the task of an operation that overrides `run()`.
  let tasks: TaskSpawner
}

/// Whoever runs operations: it is told of each end exactly once.
protocol OperationHost: AnyObject, Sendable {
  /// An operation that did not end in the call that started it has ended.
  func operationDidSettle(ticket: Int, _ settlement: Settlement)

  /// An operation says how far it has come.
  func operationDidReport(ticket: Int, fraction: Double)
}
