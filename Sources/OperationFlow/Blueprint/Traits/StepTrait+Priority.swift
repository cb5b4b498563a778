import Foundation

extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work before other work of its run that could start and has a lower priority.
  ///
  /// The priority matters if more work can start than the run has room for; the default is `.normal`. In a group, it
  /// applies to each item. Work that waits for a permit of a ``FlowLimiter`` gets it before work with a lower priority,
  /// of this run or of others. The priority also becomes the operation's `queuePriority`, with a fitting quality of
  /// service, unless the operation has set its own.
  ///
  /// - Parameter priority: The priority.
  /// - Returns: The trait.
  public static func priority(_ priority: Operation.QueuePriority) -> Self {
    Self { options in
      options.give(".priority")
      options.set(Priority(value: priority))
    }
  }
}

extension StepTrait where Work == FlowStep.Composite {
  /// The priority of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others has no work of its own: give .priority to the steps in it."
  )
  public static func priority(_ priority: Operation.QueuePriority) -> Self { Self { _ in } }
}

private struct Priority: StepFeature {
  let value: Operation.QueuePriority

  var precedence: Int { value.rawValue }

  var obstacle: (problem: String, remedy: String)? {
    ("its priority counts among the steps of one process.", "Leave out .priority(_:).")
  }

  func prepare(_ operation: FlowOperation) {
    if operation.queuePriority == .normal { operation.queuePriority = value }
    guard operation.qualityOfService == .default else { return }
    switch value {
    case .veryHigh: operation.qualityOfService = .userInteractive
    case .high: operation.qualityOfService = .userInitiated
    case .low: operation.qualityOfService = .utility
    case .veryLow: operation.qualityOfService = .background
    case .normal: break
    @unknown default: break
    }
  }
}
