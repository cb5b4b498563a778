import OperationFlow

/// The result of work as a journal stores it, without values.
enum KeptResult: Sendable {
  case succeeded
  /// The error, and the delay before the next attempt; `nil` if none follows.
  indirect case failed(any Error, retriedAfter: Duration?)
  case cancelled
  case skipped
  /// The index of the chosen branch in its step; `nil` if none matched.
  case chosen(Int?)
  case entered
  /// The number of items, or `nil` for a sequence, and the number of items that run at once.
  case planned(Int?, width: Int)
  /// The end of a sequence, with the number of its items.
  case pulledAll(Int)
}

extension KeptResult {
  /// Creates the stored result from the result that the run has decided.
  init(_ settlement: borrowing RunSettlement, in blueprint: Blueprint) {
    switch settlement.result {
    case .settled(.succeeded): self = .succeeded
    case .settled(.failed(let error)), .failed(let error, _):
      self = .failed(
        FlowStoredError.describing(error, as: settlement.errorText), retriedAfter: settlement.retriedAfter)
    case .settled(.cancelled): self = .cancelled
    case .skipped: self = .skipped
    case .chosen(let block):
      let branches = settlement.work.step.map { blueprint.steps[$0].innerBlocks }
      self = .chosen(block.flatMap { branches?.firstIndex(of: $0) })
    case .entered: self = .entered
    case .planned(let count, _, let width, _): self = .planned(count, width: width)
    case .pulled: self = .pulledAll(settlement.pulledCount)
    }
  }

  /// The settlement of this result: a failure, a cancellation, or otherwise a success.
  var settlement: Settlement {
    switch self {
    case .failed(let error, _): .failed(error)
    case .cancelled: .cancelled
    case .succeeded, .skipped, .chosen, .entered, .planned, .pulledAll: .succeeded
    }
  }

  /// The delay before the next attempt; `nil` if none follows.
  var retryDelay: Duration? { if case .failed(_, let delay) = self { delay } else { nil } }
}

extension FlowStoredError {
  /// Returns an error with `text`, its description from when it occurred.
  ///
  /// Returns the error itself if there is no text, or if the error has a stored text of its own.
  static func describing(_ error: any Error, as text: String?) -> any Error {
    guard let text, !(error is FlowError), !(error is FlowStoredError) else { return error }
    return FlowStoredError(description: text, type: TypeName.of(Swift.type(of: error)))
  }
}
