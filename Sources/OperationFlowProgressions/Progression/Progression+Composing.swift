extension Progression {
  /// Takes a step of another progression, which this one holds, as a step of this progression.
  ///
  /// - Parameters:
  ///   - progression: The other progression, in its current state.
  ///   - mapNext: Makes the step that holds the other one's next step.
  ///   - mapResult: Makes the step that follows once the other one has its result.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self, mapResult: @escaping (Inner.Result) throws -> Self
  ) -> Deferred<Self> {
    compose(progression, mapNext: mapNext, flatMapResult: { result in .unit { try mapResult(result) } })
  }

  /// Takes a step of another progression, which this one holds, and continues from its result with a deferred.
  ///
  /// - Parameters:
  ///   - progression: The other progression, in its current state.
  ///   - mapNext: Makes the step that holds the other one's next step.
  ///   - flatMapResult: Called immediately if the other one has its result; the step fails with the error that it
  ///     throws.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self,
    flatMapResult: (Inner.Result) throws -> Deferred<Self>
  ) -> Deferred<Self> {
    guard let result = progression.result else { return progression.next().mapped(mapNext) }
    do { return try flatMapResult(result) } catch { return Deferred(throwing: error) }
  }
}
