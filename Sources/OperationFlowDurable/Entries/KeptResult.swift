import OperationFlow

/// The result of kept work, without values.
enum KeptResult: Sendable {
  case succeeded
  /// With the delay before the next attempt; `nil` if none follows.
  indirect case failed(any Error, retriedAfter: Duration?)
  case cancelled
  case skipped
  /// The place of the branch among those of its step; `nil` if none matched.
  case chosen(Int?)
  case entered
  /// How many items there are, or `nil` if they come one after the other, and how many are at work at once.
  case planned(Int?, width: Int)
  /// The items of a sequence have come to an end, after this many.
  case pulledAll(Int)
}

extension KeptResult {
  /// What an entry has of a result, as a run has decided it.
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
    case .planned(let count, let width, _): self = .planned(count, width: width)
    case .pulled: self = .pulledAll(settlement.pulledCount)
    }
  }

  /// The result as an end.
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
  /// An error with the text that it was described with when it came; itself if there is none, or if it has one of its own.
  static func describing(_ error: any Error, as text: String?) -> any Error {
    guard let text, !(error is FlowError), !(error is FlowStoredError) else { return error }
    return FlowStoredError(description: text, type: TypeName.of(Swift.type(of: error)))
  }
}
