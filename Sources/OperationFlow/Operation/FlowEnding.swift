/// The ending of a run so far, for undos and for steps that run at the end.
public enum FlowEnding: Sendable {
  /// Every step that was reached has succeeded.
  case succeeded
  /// A step failed with the error, or the deadline was over.
  case failed(any Error)
  /// The run was cancelled.
  case cancelled

  /// True if the run has succeeded.
  public var isSuccess: Bool {
    if case .succeeded = self { true } else { false }
  }

  /// The error of a run that has failed; otherwise `nil`.
  public var error: (any Error)? {
    if case .failed(let error) = self { error } else { nil }
  }
}
