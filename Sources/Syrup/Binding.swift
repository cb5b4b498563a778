// Each operator that takes a function has a second form, which is used if the function is not known to be `Sendable`,
// such as one that is kept in a variable: for operators, `@preconcurrency` sees to closures only.

/// Performs a deferred, and hands its result over.
///
/// - Parameters:
///   - deferred: Performed at once.
///   - handleResult: Called once with a closure that returns the result or throws.
@preconcurrency
public func >>= <Result>(
  deferred: Deferred<Result>, handleResult: @escaping @Sendable (@escaping () throws -> Result) -> Void
) {
  deferred.perform(handleResult)
}

/// A deferred of what `transform` returns for the result of another one.
///
/// - Parameters:
///   - deferred: Performed when the new one is.
///   - transform: Given a closure that returns the result or throws; what it throws is what the new deferred fails with.
/// - Returns: A deferred of the other's result.
@preconcurrency
public func >>= <Result, Output>(
  deferred: Deferred<Result>,
  transform: @escaping @Sendable (@escaping () throws -> Result) throws -> Deferred<Output>
) -> Deferred<Output> {
  deferred.flatMap(transform)
}

extension Deferred {
  /// Performs a deferred, and hands its result over to a function that is used by one thread at a time.
  ///
  /// - Parameters:
  ///   - deferred: Performed at once.
  ///   - handleResult: Called once with a closure that returns the result or throws.
  @_disfavoredOverload
  public static func >>= (
    deferred: Deferred<Result>, handleResult: @escaping (@escaping () throws -> Result) -> Void
  ) {
    let handleResult = Transfer(handleResult)
    deferred.perform { handleResult.value($0) }
  }

  /// A deferred of what a function that is used by one thread at a time returns for the result of another one.
  ///
  /// - Parameters:
  ///   - deferred: Performed when the new one is.
  ///   - transform: Given a closure that returns the result or throws; what it throws is what the new deferred fails with.
  /// - Returns: A deferred of the other's result.
  @_disfavoredOverload
  public static func >>= <Output>(
    deferred: Deferred<Result>,
    transform: @escaping (@escaping () throws -> Result) throws -> Deferred<Output>
  ) -> Deferred<Output> {
    let transform = Transfer(transform)
    return deferred.flatMap { try transform.value($0) }
  }
}
