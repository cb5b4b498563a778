extension Progression {
  /// Performs a step of another progression, which this one contains, as a step of this progression.
  ///
  /// - Parameters:
  ///   - progression: The other progression, in its current state.
  ///   - mapNext: A closure that returns the step that contains the other progression's next step.
  ///   - mapResult: A closure that returns the step that follows the other progression's result.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self, mapResult: @escaping (Inner.Result) throws -> Self
  ) -> Deferred<Self> {
    compose(progression, mapNext: mapNext, flatMapResult: { result in .unit { try mapResult(result) } })
  }

  /// Performs a step of another progression, which this one contains, and continues from its result with a deferred.
  ///
  /// - Parameters:
  ///   - progression: The other progression, in its current state.
  ///   - mapNext: A closure that returns the step that contains the other progression's next step.
  ///   - flatMapResult: A closure that is called immediately if the other progression has its result. If it throws, the
  ///     step fails with that error.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self,
    flatMapResult: (Inner.Result) throws -> Deferred<Self>
  ) -> Deferred<Self> {
    guard let result = progression.result else { return progression.next().mapped(mapNext) }
    do { return try flatMapResult(result) } catch { return Deferred(throwing: error) }
  }
}
