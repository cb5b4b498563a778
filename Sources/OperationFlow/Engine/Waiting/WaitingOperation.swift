/// An operation that does nothing but wait for something outside its run, such as a date or a signal.
///
/// It holds no thread and no task meanwhile.
package protocol WaitingOperation: FlowOperation {
  var reason: FlowRun.Waiting.Reason { get }
}

extension FlowOperation {
  /// Where the operation runs; `nil` unless it is at work in a flow.
  package final var place: (engine: RunEngine, source: FlowEvent.Source)? {
    guard let context, let engine = context.host as? RunEngine else { return nil }
    return (engine, context.source)
  }

  /// Its name in a run; `nil` once it has left the run.
  final func source(in host: RunEngine) -> FlowEvent.Source? { context.flatMap { $0.host === host ? $0.source : nil } }
}
