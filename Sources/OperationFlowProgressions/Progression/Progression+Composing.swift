extension Progression {
  /// A step of this progression that takes a step of another one, which it holds.
  ///
  /// - Parameters:
  ///   - progression: The other progression, as it is now.
  ///   - mapNext: Makes the step that holds the other one's next step.
  ///   - mapResult: Makes the step that follows once the other one has its result.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self, mapResult: @escaping (Inner.Result) throws -> Self
  ) -> Deferred<Self> {
    compose(progression, mapNext: mapNext, flatMapResult: { result in .unit { try mapResult(result) } })
  }

  /// A step of this progression that takes a step of another one, which it holds, and goes on from its result later.
  ///
  /// - Parameters:
  ///   - progression: The other progression, as it is now.
  ///   - mapNext: Makes the step that holds the other one's next step.
  ///   - flatMapResult: Called at once if the other one has its result; what it throws is what the step fails with.
  /// - Returns: A deferred of the next step.
  public func compose<Inner: Progression>(
    _ progression: Inner, mapNext: @escaping (Inner) -> Self,
    flatMapResult: (Inner.Result) throws -> Deferred<Self>
  ) -> Deferred<Self> {
    guard let result = progression.result else { return progression.next().mapped(mapNext) }
    do { return try flatMapResult(result) } catch { return Deferred(throwing: error) }
  }
}
