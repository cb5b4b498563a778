/// How an attempt has ended.
struct AttemptEnd: ~Copyable {
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

/// What is known of an attempt that has failed.
struct FailedAttempt: Sendable {
  /// The name of its operation, or of its step.
  let name: String
  /// What a user's error was described as.
  let errorText: String?
}
