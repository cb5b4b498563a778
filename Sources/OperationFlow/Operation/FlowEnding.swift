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

/// The way in which a step, an item or an operation ended, as its run may; the first decision is final.
package typealias Settlement = FlowEnding

extension Settlement {
  /// Treats cancellation errors as cancelled, no matter where they come from.
  package init(_ error: any Error) {
    let isCancellation = error is CancellationError || (error as? FlowError)?.code == .cancelled
    self = isCancellation ? .cancelled : .failed(error)
  }

  var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// What went wrong, which is also a cancellation; `nil` for a success.
  var failure: (any Error)? { isCancelled ? FlowError.cancellation : error }

  /// The error, with its place added if it is the library's own.
  func located(flow: String, step: FlowEvent.Source? = nil, path: FlowPath? = nil) -> Settlement {
    guard case .failed(let error as FlowError) = self else { return self }
    return .failed(error.located(flow: flow, step: step?.description, path: path, attempt: step?.attempt))
  }

  /// The operation's end in the form that the predecessor's users know.
  var finishType: FlowOperationStateFinishType {
    switch self {
    case .succeeded: .successfully
    case .cancelled: .withError(FlowError.cancellation)
    case .failed(let error as FlowError) where error.code == .missingData: .withInsufficientInputData(error.problem)
    case .failed(let error as FlowError) where error.code == .mismatchedData: .withMismatchInputDataType(error.problem)
    case .failed(let error): .withError(error)
    }
  }

  /// The event that a record keeps of it, created by `make`.
  ///
  /// An error's description is user code: `underLock` makes it later, and `text` is what it was described as before.
  func recorded(as text: String? = nil, underLock: Bool = false, _ end: RecordedEnd = .finished) -> RecordedKind {
    if case .failed(let error) = self, !(error is FlowError) {
      if let text { return .plain(end.event(.withError(text))) }
      if underLock {
        let text = RedactableTexts.Part(name: "", text: .pending(PendingText(error: error)))
        return .keyed(RedactableTexts([text]) { end.event(.withError($0[0])) })
      }
    }
    let finish = eventFinish
    guard case .failed(let error as FlowError) = self, let key = error.key, let hidden = error.hiddenProblem,
      case .withMismatchInputDataType(let problem) = finish
    else { return .plain(end.event(finish)) }
    let part = RedactableTexts.Part(name: ValueText.name(key), text: .made(problem), hidden: hidden)
    return .keyed(RedactableTexts([part]) { end.event(.withMismatchInputDataType($0[0])) })
  }

  /// The text of an error of the user's, for all who show it; `nil` for any other end.
  ///
  /// It is made by user code, so no lock may be held.
  func errorText() -> String? {
    guard case .failed(let error) = self, !(error is FlowError) else { return nil }
    return ValueText.describe(error: error)
  }

  var eventFinish: FlowEvent.Finish {
    switch finishType {
    case .successfully: .successfully
    case .withError(let error): isCancelled ? .cancelled : .withError(ValueText.describe(error: error))
    case .withInsufficientInputData(let problem): .withInsufficientInputData(problem)
    case .withMismatchInputDataType(let problem): .withMismatchInputDataType(problem)
    }
  }
}

enum RecordedEnd {
  case finished, undoFinished, recovered, endedLate
  /// An operation that has ended before.
  case repeated

  func event(_ finish: FlowEvent.Finish) -> FlowEvent.Kind {
    switch self {
    case .finished: .finished(finish)
    case .undoFinished: .undoFinished(finish)
    case .recovered: .recovered(finish)
    case .endedLate: .endedLate(finish)
    case .repeated: .warned("finished again: ignored (\(finish.summaryText))")
    }
  }
}
