// The names that Syrup had when it was called Grain.

/// A progression, as Grain called it.
public typealias StageProtocol = Progression

extension ProductionLine {
  /// The type of the line's progressions, for extensions such as `extension ProductionLine where Stage == Upload`.
  public typealias Stage = InnerProgression
}

extension Progression {
  /// Runs the progression on the global queue of the quality `.utility`, as Grain did.
  ///
  /// - Parameter completion: Called once with a closure that returns the result or throws.
  @preconcurrency
  public func execute(_ completion: @escaping @Sendable (@escaping @Sendable () throws -> Result) -> Void) {
    deferred(queue: .global(qos: .utility)).perform(completion)
  }

  /// Takes a step of this progression as a step of another one, as Grain spelled `compose(_:mapNext:mapResult:)`.
  ///
  /// - Parameters:
  ///   - transformNext: Makes the step that holds this one's next step.
  ///   - transformResult: Makes the step that follows once this one has its result.
  /// - Returns: A deferred of the next step.
  public func compose<Other: Progression>(
    transformNext: @escaping (Self) -> Other, transformResult: @escaping (Result) throws -> Other
  ) -> Deferred<Other> {
    guard let result else { return next().mapped(transformNext) }
    return .unit { try transformResult(result) }
  }
}

/// Stops the program: for the case of a completed step in `next()`, which no way of running calls.
///
/// - Parameter step: The step that has no next one.
/// - Returns: Never.
public func completedStep<Stage: Progression>(_ step: Stage) -> Never {
  preconditionFailure("there is no next step after \(step): it has its result")
}

/// Stops the program: `completedStep(_:)`, as Grain called it.
///
/// - Parameter stage: The step that has no next one.
/// - Returns: Never.
public func completedStage<Stage: Progression>(_ stage: Stage) -> Never {
  completedStep(stage)
}
