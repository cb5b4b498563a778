/// Returns a deferred of two results, the second of which is made after the first.
///
/// - Parameters:
///   - first: The deferred that is performed first.
///   - second: The deferred that is performed second, and not at all if the first fails.
/// - Returns: A deferred of both results.
public func & <First, Second>(first: Deferred<First>, second: Deferred<Second>) -> Deferred<(First, Second)> {
  first.and(second)
}

/// Returns a deferred of the first result, which is delivered after the second deferred was performed.
///
/// - Parameters:
///   - first: The deferred that is performed first.
///   - second: The deferred that is performed second, and not at all if the first fails.
/// - Returns: A deferred of the first result; it fails with the first error.
public func & <Result>(first: Deferred<Result>, second: Deferred<Void>) -> Deferred<Result> {
  first.and(second).map { result, _ in result }
}

/// Returns a deferred of the second result, which is made after the first deferred was performed.
///
/// - Parameters:
///   - first: The deferred that is performed first.
///   - second: The deferred that is performed second, and not at all if the first fails.
/// - Returns: A deferred of the second result; it fails with the first error.
public func & <Result>(first: Deferred<Void>, second: Deferred<Result>) -> Deferred<Result> {
  first.and(second).map { _, result in result }
}

/// Returns a deferred that performs one deferred after the other.
///
/// - Parameters:
///   - first: The deferred that is performed first.
///   - second: The deferred that is performed second, and not at all if the first fails.
/// - Returns: A deferred of nothing; it fails with the first error.
public func & (first: Deferred<Void>, second: Deferred<Void>) -> Deferred<Void> {
  first.and(second).ignoringResult()
}
