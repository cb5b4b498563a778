/// The outcome of a run: success, failure or cancellation, with a report.
public enum FlowOutcome: Sendable {
  /// Every step that was reached succeeded.
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

  /// The run's error; an error with the code `cancelled` if the run was cancelled; `nil` after a success.
  public var error: (any Error)? {
    switch self {
    case .succeeded: nil
    case .failed(let error, _): error
    case .cancelled(let report): FlowError.cancellation.located(flow: report.flowName, step: nil)
    }
  }

  /// The failure of the run, with its place; `nil` unless the run failed.
  public var failure: FlowReport.Failure? { report.failure }

  /// True if the run had ended before this call, which returned that outcome again and ran nothing.
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

extension FlowOutcome: CustomStringConvertible, CustomReflectable {
  /// The outcome in one line, with the error and the report.
  public var description: String {
    let end = isSuccess ? "succeeded" : failureText.map { LineText.escaped("failed with \($0)") } ?? "cancelled"
    return (hadEnded ? "had ended before: " : "") + "\(end), \(report)"
  }

  /// The case with the error's text and the report.
  public var customMirror: Mirror {
    let name = isSuccess ? "succeeded" : failureText == nil ? "cancelled" : "failed"
    let value: Any = if let failureText { (error: failureText, report: report) } else { report }
    return Mirror(self, children: [name: value], displayStyle: .enum)
  }

  /// The error's text from the time of the failure, if that is stored; `nil` unless the run failed.
  private var failureText: String? {
    guard case .failed(let error, let report) = self else { return nil }
    return report.secrets.scrubbing(report.failure?.work.errorText ?? ValueText.describe(error: error))
  }
}
