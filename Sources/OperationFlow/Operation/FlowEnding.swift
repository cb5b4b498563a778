/// The ending of a run so far, for undos and for steps that run at the end.
public enum FlowEnding: Sendable {
  /// Every step that was reached succeeded.
  case succeeded
  /// A step failed with the error, or the deadline passed.
  case failed(any Error)
  /// The run was cancelled.
  case cancelled

  /// True if the run succeeded.
  public var isSuccess: Bool {
    if case .succeeded = self { true } else { false }
  }

  /// The error of a run that failed; otherwise `nil`.
  public var error: (any Error)? {
    if case .failed(let error) = self { error } else { nil }
  }
}

/// The ending of a step, an item or an operation, with the same cases as that of a run.
///
/// The first decision is final.
package typealias Settlement = FlowEnding

extension Settlement {
  /// Treats cancellation errors as cancelled, whatever their origin.
  package init(_ error: any Error) {
    self = error.isCancellation ? .cancelled : .failed(error)
  }

  var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// The error of a failure or a cancellation; `nil` for a success.
  var failure: (any Error)? { isCancelled ? FlowError.cancellation : error }

  /// Returns a copy in which an error of the library has its flow added.
  func located(flow: String) -> Settlement {
    guard let own = error?.flowError else { return self }
    return .failed(own.located(flow: flow, step: nil))
  }

  /// The operation's end in the form of Flow-iOS.
  var finishType: FlowOperationStateFinishType {
    switch self {
    case .succeeded: .successfully
    case .cancelled: .withError(FlowError.cancellation)
    case .failed(let error): error.finishType
    }
  }

  /// Returns the event to record, of the kind `end`.
  ///
  /// An error's description is a user's code: with `underLock`, it is called later. `text` is an earlier result of it.
  func recorded(as text: String? = nil, underLock: Bool = false, _ end: RecordedEnd = .finished) -> RecordedKind {
    guard let error else { return .plain(end.event(eventFinish)) }
    guard let own = error.flowError else {
      if text == nil, underLock { return .keyed(RedactableTexts(ofFailure: PendingText(error: error), end)) }
      return .plain(end.event(.withError(text ?? ValueText.describe(error: error))))
    }
    guard own.code == .mismatchedData, let key = own.key, let hidden = own.hiddenProblem else {
      return .plain(end.event(own.eventFinish))
    }
    let part = RedactableTexts.Part(name: ValueText.name(key), text: .made(own.problem), hidden: hidden)
    return .keyed(RedactableTexts([part]) { end.event(.withMismatchInputDataType($0[0])) })
  }

  /// Returns the text of a user's error; `nil` for any other end.
  ///
  /// The text is made by a user's code, so no lock may be held.
  func errorText() -> String? {
    guard let error, error.flowError == nil else { return nil }
    return ValueText.describe(error: error)
  }

  var eventFinish: FlowEvent.Finish {
    switch self {
    case .succeeded: .successfully
    case .cancelled: .cancelled
    case .failed(let error): error.flowError?.eventFinish ?? .withError(ValueText.describe(error: error))
    }
  }
}

extension FlowError {
  fileprivate var eventFinish: FlowEvent.Finish {
    switch code {
    case .missingData: .withInsufficientInputData(problem)
    case .mismatchedData: .withMismatchInputDataType(problem)
    default: .withError(ValueText.describe(error: self))
    }
  }
}

extension Error {
  fileprivate var finishType: FlowOperationStateFinishType {
    guard let own = flowError else { return .withError(self) }
    return switch own.code {
    case .missingData: .withInsufficientInputData(own.problem)
    case .mismatchedData: .withMismatchInputDataType(own.problem)
    default: .withError(own)
    }
  }
}
