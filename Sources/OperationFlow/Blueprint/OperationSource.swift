/// Where a step's operation comes from.
enum OperationSource: Sendable {
  /// One object, made by the user: it can run once.
  case instance(OperationInstance)
  /// Made when the step is reached, for each run anew.
  case factory(@Sendable () -> FlowOperation)
}

/// Holds the one operation of a step until a run takes it, so that it lives no longer than it has to.
final class OperationInstance: Sendable {
  private let operation: Locked<FlowOperation?>

  init(_ operation: FlowOperation) {
    self.operation = Locked(operation)
  }

  /// Keeps the operation for one run; false where another run has it, or where it runs or has run elsewhere.
  func reserve() -> Bool {
    operation.withLock { $0?.claim() ?? false }
  }

  /// Gives the operation back, where the run that reserved it does not begin.
  func giveBack() {
    operation.withLock { $0?.unclaim() }
  }

  /// Hands the reserved operation out; nothing is kept.
  func take() -> FlowOperation? {
    operation.withLock { held in
      defer { held = nil }
      return held
    }
  }
}
