/// The outcome of a run: success, failure or cancellation, with a report.
public enum FlowOutcome: Sendable {
  /// Every step that was reached has succeeded.
  case succeeded(FlowReport)
  /// A step failed with the error, the deadline passed, the journal could not be written, or the flow could not start.
  indirect case failed(any Error, FlowReport)
  /// The run was cancelled.
  case cancelled(FlowReport)

  /// The report of the run, however it ended.
  public var report: FlowReport {
    switch self {
    case .succeeded(let report), .failed(_, let report), .cancelled(let report): report
    }
  }

  /// True if the run succeeded.
  public var isSuccess: Bool { if case .succeeded = self { true } else { false } }

  /// The error that the run failed with; for a cancelled run, one with the code `cancelled`; `nil` after a success.
  public var error: (any Error)? {
    switch self {
    case .succeeded: nil
    case .failed(let error, _): error
    case .cancelled(let report): FlowError.cancellation.located(flow: report.flowName, step: nil)
    }
  }

  /// The failure of the run, with its place; `nil` unless the run failed.
  public var failure: FlowReport.Failure? { report.failure }

  /// True if the run had ended before this call, which has returned that outcome again and has run nothing.
  public var hadEnded: Bool { report.hadEnded }

  /// Returns the report of a run that succeeded, and throws otherwise.
  ///
  /// - Returns: The report.
  /// - Throws: The run's error, or `CancellationError` if the run was cancelled.
  public func get() throws -> FlowReport {
    switch self {
    case .succeeded(let report): return report
    case .failed(let error, _): throw error
    case .cancelled: throw CancellationError()
    }
  }
}
