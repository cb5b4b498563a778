// Each operator that takes a function has a second form, which is used if the function is not known to be `Sendable`,
// such as one in a variable: for operators, `@preconcurrency` covers only closures.

/// Performs a deferred, and hands its result over.
///
/// - Parameters:
///   - deferred: Performed immediately.
///   - handleResult: Called once with a closure that returns the result or throws.
@preconcurrency
public func >>= <Result>(
  deferred: Deferred<Result>, handleResult: @escaping @Sendable (@escaping () throws -> Result) -> Void
) {
  deferred.perform(handleResult)
}

/// Returns a deferred of the result of the deferred that `transform` returns for another one's result.
///
/// - Parameters:
///   - deferred: Performed when the new one is.
///   - transform: Gets a closure that returns the result or throws; the new deferred fails with the error that it
///     throws.
/// - Returns: A deferred of the other's result.
@preconcurrency
public func >>= <Result, Output>(
  deferred: Deferred<Result>,
  transform: @escaping @Sendable (@escaping () throws -> Result) throws -> Deferred<Output>
) -> Deferred<Output> {
  deferred.flatMap(transform)
}

extension Deferred {
  /// Performs a deferred, and hands its result to a function that one thread at a time uses.
  ///
  /// - Parameters:
  ///   - deferred: Performed immediately.
  ///   - handleResult: Called once with a closure that returns the result or throws.
  @_disfavoredOverload
  public static func >>= (
    deferred: Deferred<Result>, handleResult: @escaping (@escaping () throws -> Result) -> Void
  ) {
    let handleResult = Transfer(handleResult)
    deferred.perform { handleResult.value($0) }
  }

  /// Returns a deferred of the result of the deferred that a function returns; one thread at a time uses the function.
  ///
  /// - Parameters:
  ///   - deferred: Performed when the new one is.
  ///   - transform: Gets a closure that returns the result or throws; the new deferred fails with the error that it
  ///     throws.
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
