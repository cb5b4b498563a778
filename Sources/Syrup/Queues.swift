/// Returns a deferred of the same result, handed over on a queue.
///
/// - Parameters:
///   - deferred: Makes the result.
///   - queue: The queue on which the result is handed over; see `Deferred.on(_:)`.
/// - Returns: A deferred of the same result.
public func + <Result>(deferred: Deferred<Result>, queue: DispatchQueue) -> Deferred<Result> {
  deferred.on(queue)
}

/// Returns a deferred of the same result, handed over with a quality of service.
///
/// - Parameters:
///   - deferred: Makes the result.
///   - quality: The quality of the global queue on which the result is handed over.
/// - Returns: A deferred of the same result.
public func + <Result>(deferred: Deferred<Result>, quality: DispatchQoS.QoSClass) -> Deferred<Result> {
  deferred.on(.global(qos: quality))
}
