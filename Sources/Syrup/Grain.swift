// The names that Syrup had when it was named Grain.

/// A progression, with its name in Grain.
public typealias StageProtocol = Progression

extension ProductionLine {
  /// The type of the line's progressions, for extensions such as `extension ProductionLine where Stage == Upload`.
  public typealias Stage = InnerProgression
}

extension Progression {
  /// Runs the progression on the global queue of the quality `.utility`, as Grain did.
  ///
  /// - Parameter completion: A function that is called once, with a closure that returns the result or throws.
  @preconcurrency
  public func execute(_ completion: @escaping @Sendable (@escaping @Sendable () throws -> Result) -> Void) {
    deferred(queue: .global(qos: .utility)).perform(completion)
  }

  /// Performs a step of this progression as a step of another one; Grain's spelling of `compose(_:mapNext:mapResult:)`.
  ///
  /// - Parameters:
  ///   - transformNext: A function that creates the other progression's step for this one's next step.
  ///   - transformResult: A function that creates the step that follows when this progression has its result.
  /// - Returns: A deferred of the next step.
  public func compose<Other: Progression>(
    transformNext: @escaping (Self) -> Other, transformResult: @escaping (Result) throws -> Other
  ) -> Deferred<Other> {
    guard let result else { return next().mapped(transformNext) }
    return .unit { try transformResult(result) }
  }
}

/// Stops the program: for the case of a completed step in `next()`, which is never called for such a step.
///
/// - Parameter step: The step without a next one.
/// - Returns: Never.
public func completedStep<Stage: Progression>(_ step: Stage) -> Never {
  preconditionFailure("there is no next step after \(step): it has its result")
}

/// Stops the program; Grain's name of `completedStep(_:)`.
///
/// - Parameter stage: The step without a next one.
/// - Returns: Never.
public func completedStage<Stage: Progression>(_ stage: Stage) -> Never {
  completedStep(stage)
}
