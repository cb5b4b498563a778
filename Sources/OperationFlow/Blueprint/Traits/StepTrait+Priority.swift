import Foundation

extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work before other work of its run that could start and has a lower priority.
  ///
  /// It matters if more can start than the run has room for, such as in parallel branches; the default is `.normal`. In a
  /// group, it holds for each item. An operation also gets it as its `queuePriority`, and a quality of service that goes
  /// with it, unless it has set its own; Apple's platforms use that for the threads of its work.
  ///
  /// - Parameter priority: The priority.
  /// - Returns: The trait.
  public static func priority(_ priority: Operation.QueuePriority) -> Self {
    Self { $0.set(Priority(priority)) }
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
  private let value: Operation.QueuePriority

  init(_ value: Operation.QueuePriority) { self.value = value }

  var precedence: Int { value.rawValue }

  var obstacles: [StepObstacle] {
    [StepObstacle("its priority counts among the steps of one process.", remedy: "Leave out .priority(_:).")]
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
