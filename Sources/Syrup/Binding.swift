// Each operator with a function parameter has a second form, for functions that aren't known to be `Sendable`, such as
// one in a variable: for operators, `@preconcurrency` covers only closures.

/// Performs a deferred, and passes its result to a function.
///
/// - Parameters:
///   - deferred: The deferred, which is performed immediately.
///   - handleResult: A function that is called once, with a closure that returns the result or throws.
@preconcurrency
public func >>= <Result>(
  deferred: Deferred<Result>, handleResult: @escaping @Sendable (@escaping () throws -> Result) -> Void
) {
  deferred.perform(handleResult)
}

/// Returns a deferred of the result of the deferred that `transform` returns for another deferred's result.
///
/// - Parameters:
///   - deferred: The deferred whose result is transformed; performed when the new one is.
///   - transform: A function that is called with a closure that returns the result or throws. If the function throws,
///     the new deferred fails with that error.
/// - Returns: A deferred of the second result.
@preconcurrency
public func >>= <Result, Output>(
  deferred: Deferred<Result>,
  transform: @escaping @Sendable (@escaping () throws -> Result) throws -> Deferred<Output>
) -> Deferred<Output> {
  deferred.flatMap(transform)
}

extension Deferred {
  /// Performs a deferred, and passes its result to a function that one thread at a time uses.
  ///
  /// - Parameters:
  ///   - deferred: The deferred, which is performed immediately.
  ///   - handleResult: A function that is called once, with a closure that returns the result or throws.
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
  ///   - deferred: The deferred whose result is transformed; performed when the new one is.
  ///   - transform: A function that is called with a closure that returns the result or throws. If the function throws,
  ///     the new deferred fails with that error.
  /// - Returns: A deferred of the second result.
  @_disfavoredOverload
  public static func >>= <Output>(
    deferred: Deferred<Result>,
    transform: @escaping (@escaping () throws -> Result) throws -> Deferred<Output>
  ) -> Deferred<Output> {
    let transform = Transfer(transform)
    return deferred.flatMap { try transform.value($0) }
  }
}
