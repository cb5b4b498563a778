/// Two results, the second of which is made once the first is there.
///
/// - Parameters:
///   - first: Performed first.
///   - second: Performed second, and not at all if the first fails.
/// - Returns: A deferred of both results.
public func & <First, Second>(first: Deferred<First>, second: Deferred<Second>) -> Deferred<(First, Second)> {
  first.and(second)
}

/// The first result, once what comes second has been done.
///
/// - Parameters:
///   - first: Performed first.
///   - second: Performed second, and not at all if the first fails.
/// - Returns: A deferred of the first result; it fails with the first error.
public func & <Result>(first: Deferred<Result>, second: Deferred<Void>) -> Deferred<Result> {
  first.and(second).map { result, _ in result }
}

/// The second result, which is made once what comes first has been done.
///
/// - Parameters:
///   - first: Performed first.
///   - second: Performed second, and not at all if the first fails.
/// - Returns: A deferred of the second result; it fails with the first error.
public func & <Result>(first: Deferred<Void>, second: Deferred<Result>) -> Deferred<Result> {
  first.and(second).map { _, result in result }
}

/// One thing done after the other.
///
/// - Parameters:
///   - first: Performed first.
///   - second: Performed second, and not at all if the first fails.
/// - Returns: A deferred of nothing; it fails with the first error.
public func & (first: Deferred<Void>, second: Deferred<Void>) -> Deferred<Void> {
  first.and(second).ignoringResult()
}
