import Foundation

extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work before other work of its run that could start and has a lower priority.
  ///
  /// It matters if more can start than the run has room for; the default is `.normal`. In a group, it holds for each item.
  /// An operation also gets it as its `queuePriority`, with a fitting quality of service, unless it has set its own.
  ///
  /// - Parameter priority: The priority.
  /// - Returns: The trait.
  public static func priority(_ priority: Operation.QueuePriority) -> Self {
    Self { options in options.changeSpecial { $0.priority = priority } }
  }
}

extension StepTrait where Work == FlowStep.Composite {
  /// The priority of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others has no work of its own: give .priority to the steps in it."
  )
  public static func priority(_ priority: Operation.QueuePriority) -> Self { Self { _ in } }
}

extension FlowOperation {
  /// Takes the priority of its step, unless it has set its own.
  @inline(never)
  func prepare(for priority: QueuePriority) {
    if queuePriority == .normal { queuePriority = priority }
    guard qualityOfService == .default else { return }
    switch priority {
    case .veryHigh: qualityOfService = .userInteractive
    case .high: qualityOfService = .userInitiated
    case .low: qualityOfService = .utility
    case .veryLow: qualityOfService = .background
    case .normal: break
    @unknown default: break
    }
  }
}
