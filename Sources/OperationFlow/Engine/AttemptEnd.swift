/// How an attempt has ended.
struct AttemptEnd {
  let settlement: Settlement
  /// What the state machine is told.
  let result: RunResult
  let finish: RecordedKind
  let output: (any Sendable)?
  let source: FlowEvent.Source
  let ticket: WorkTicket

  /// The text of a user's error, as the event has it.
  var errorText: String? { settlement.errorText(in: finish) }
}
