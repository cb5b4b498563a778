/// An operation's connection to its run: where to report its end, and the name under which it runs.
struct OperationAttachment: Sendable {
  let host: any OperationHost
  let ticket: WorkTicket
  /// The source of its events.
  let source: FlowEvent.Source
}
