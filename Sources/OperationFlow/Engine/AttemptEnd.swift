/// How an attempt has ended, according to its performer.
struct AttemptEnd {
  let work: RunWork
  let settlement: Settlement
  let finish: RecordedKind
  let output: (any Sendable)?
  let source: FlowEvent.Source
  let ticket: WorkTicket
}
