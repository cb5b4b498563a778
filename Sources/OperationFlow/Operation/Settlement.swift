/// The way in which a step, an item or an operation ended; the first decision is final.
package enum Settlement: Sendable {
  case succeeded
  case failed(any Error)
  case cancelled

  /// Treats cancellation errors as cancelled, no matter where they come from.
  package init(_ error: any Error) {
    if error is CancellationError || (error as? FlowError)?.code == .cancelled {
      self = .cancelled
    } else {
      self = .failed(error)
    }
  }

  package var isSuccess: Bool { if case .succeeded = self { true } else { false } }
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// What went wrong; `nil` for a success.
  var error: (any Error)? {
    switch self {
    case .succeeded: nil
    case .failed(let error): error
    case .cancelled: FlowError.cancellation
    }
  }

  /// The error, with its place added if it is the library's own.
  @inline(never)
  func located(flow: String, step: FlowEvent.Source, path: FlowPath?) -> Settlement {
    guard case .failed(let error as FlowError) = self else { return self }
    return .failed(error.located(flow: flow, step: step.description, path: path, attempt: step.attempt))
  }

  /// The same for what no step is to blame for.
  func located(flow: String) -> Settlement {
    guard case .failed(let error as FlowError) = self else { return self }
    return .failed(error.located(flow: flow, step: nil))
  }

  /// The operation's end in the form that the predecessor's users know.
  var finishType: FlowOperationStateFinishType {
    switch self {
    case .succeeded: return .successfully
    case .cancelled: return .withError(FlowError.cancellation)
    case .failed(let error):
      switch (error as? FlowError, (error as? FlowError)?.code) {
      case (let error?, .missingData): return .withInsufficientInputData(error.problem)
      case (let error?, .mismatchedData): return .withMismatchInputDataType(error.problem)
      default: return .withError(error)
      }
    }
  }

  /// The event that a record keeps of it, created by `make`.
  ///
  /// An error's description is user code, so no lock may be held, unless `text` is what it was described as before.
  @inline(never)
  func recorded(
    as text: String? = nil, _ make: @escaping @Sendable (FlowEvent.Finish) -> FlowEvent.Kind
  ) -> RecordedKind {
    var known: FlowEvent.Finish?
    if let text, case .failed(let error) = self, !(error is FlowError) { known = .withError(text) }
    let finish = known ?? eventFinish
    guard case .failed(let error as FlowError) = self, let key = error.key, let hidden = error.hiddenProblem,
      case .withMismatchInputDataType(let problem) = finish
    else { return .plain(make(finish)) }
    let part = RedactableTexts.Part(name: ValueText.name(key), text: .made(problem), hidden: hidden)
    return .keyed(RedactableTexts([part]) { make(.withMismatchInputDataType($0[0])) })
  }

  /// The same for use under a lock: the text of an error that isn't the library's own is made later.
  func recordedUnderLock(
    as known: String?, _ make: @escaping @Sendable (FlowEvent.Finish) -> FlowEvent.Kind
  ) -> RecordedKind {
    guard known == nil, case .failed(let error) = self, !(error is FlowError) else { return recorded(as: known, make) }
    let text = RedactableTexts.Part(name: "", text: .pending(PendingText(error: error)))
    return .keyed(RedactableTexts([text]) { make(.withError($0[0])) })
  }

  /// The text of an error of the user's in an event of this end, for all who show it later; `nil` for any other end.
  @inline(never)
  func errorText(in event: RecordedKind) -> String? {
    guard case .failed(let error) = self, !(error is FlowError), case .plain(let kind) = event else { return nil }
    return switch kind {
    case .finished(.withError(let text)), .undoFinished(.withError(let text)), .recovered(.withError(let text)): text
    default: nil
    }
  }

  /// The end as a record keeps it.
  var eventFinish: FlowEvent.Finish {
    if case .succeeded = self { return .successfully }
    if case .cancelled = self { return .cancelled }
    switch finishType {
    case .successfully: return .successfully
    case .withError(let error): return .withError(ValueText.describe(error: error))
    case .withInsufficientInputData(let problem): return .withInsufficientInputData(problem)
    case .withMismatchInputDataType(let problem): return .withMismatchInputDataType(problem)
    }
  }
}
