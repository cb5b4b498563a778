/// Returns a deferred of the same result, which is delivered on a queue.
///
/// - Parameters:
///   - deferred: The deferred that makes the result.
///   - queue: The queue on which the result is delivered; see `Deferred.on(_:)`.
/// - Returns: A deferred of the same result.
public func + <Result>(deferred: Deferred<Result>, queue: DispatchQueue) -> Deferred<Result> {
  deferred.on(queue)
}

/// Returns a deferred of the same result, which is delivered with a quality of service.
///
/// - Parameters:
///   - deferred: The deferred that makes the result.
///   - quality: The quality of the global queue on which the result is delivered.
/// - Returns: A deferred of the same result.
public func + <Result>(deferred: Deferred<Result>, quality: DispatchQoS.QoSClass) -> Deferred<Result> {
  deferred.on(.global(qos: quality))
}
