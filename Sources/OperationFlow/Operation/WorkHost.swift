/// What runs operations and closures, with what they may use; it is told of each operation's end exactly once.
protocol WorkHost: AnyObject, Sendable {
  var bucket: DataBucket { get }
  var recorder: Recorder { get }
  /// Makes the task of an operation that overrides `run()`.
  var tasks: TaskSpawner { get }

  /// Whether the work under a ticket was asked to stop.
  func isStopping(_ ticket: WorkTicket) -> Bool
  /// Some work says how far it has come.
  func workDidReport(_ ticket: WorkTicket, fraction: Double)
  /// A step has succeeded without an output that it declares.
  func outputIsMissing(_ name: String, _ source: FlowEvent.Source)
  /// An operation is about to start; if that is false, it must not, and ends as cancelled.
  func operationWillStart(_ operation: FlowOperation, _ ticket: WorkTicket, _ source: FlowEvent.Source) -> Bool
  /// An operation that did not end in the call that started it has ended; it is `nil` if it is being freed.
  func operationDidSettle(_ operation: FlowOperation?, _ attachment: OperationAttachment, _ settlement: Settlement)
}
