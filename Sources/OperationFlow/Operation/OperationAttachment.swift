/// What an operation knows of the run that it is part of: what to tell of its end, and under which name it runs.
struct OperationAttachment: Sendable {
  let host: any WorkHost
  let ticket: WorkTicket
  /// Under which name its events stand.
  let source: FlowEvent.Source
}
