import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

extension RandomCare {
  /// Returns one trait for the timeout, the recovery and the undo, as far as there are any.
  ///
  /// `ran` is called when a recovery or an undo begins.
  func trait<Work: FlowStep.LeafWork>(_ ran: @escaping @Sendable (String) -> Void) -> StepTrait<Work> {
    StepTrait { options in
      var traits: [StepTrait<Work>] = []
      if hasTimeout || timeLimit != nil { traits.append(.timeout(timeLimit ?? .seconds(3600))) }
      if let recovery {
        traits.append(
          .recover { _, context in
            ran("\(context.idempotencyKey)@\(context.attempt)")
            try recovery.reach()
          })
      }
      if let undo {
        traits.append(
          .undo(retry: .attempts(2)) { context in
            ran("\(context.idempotencyKey)@\(context.attempt)")
            try undo.reach()
          })
      }
      for trait in traits { trait.change(&options) }
    }
  }

  /// Returns the retry of work that is created anew for each attempt.
  func retry<Work: FlowStep.RepeatableWork>() -> StepTrait<Work> {
    attempts == 1 ? .weight(1) : .retry(.attempts(attempts))
  }
}

extension RandomOperation.End {
  fileprivate func reach() throws {
    switch self {
    case .success: break
    case .failure(let name): throw TestError(name: name)
    case .cancellation: throw CancellationError()
    }
  }
}
