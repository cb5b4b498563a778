/// Returns a deferred of the result of a progression whose steps run on a queue.
///
/// - Parameters:
///   - progression: The progression, which is run each time the deferred is performed.
///   - queue: The queue on which the steps run; see `deferred(queue:progress:)`.
/// - Returns: A deferred of the result.
public func / <Stage: Progression>(progression: Stage, queue: DispatchQueue) -> Deferred<Stage.Result> {
  progression.deferred(queue: queue)
}

/// Returns a deferred of the result of a progression whose steps run with a quality of service.
///
/// - Parameters:
///   - progression: The progression, which is run each time the deferred is performed.
///   - quality: The quality of the global queue on which the steps run.
/// - Returns: A deferred of the result.
public func / <Stage: Progression>(progression: Stage, quality: DispatchQoS.QoSClass) -> Deferred<Stage.Result> {
  progression.deferred(queue: .global(qos: quality))
}

/// Returns a deferred of the results of closures that run concurrently on a queue, in the order of the closures.
///
/// - Parameters:
///   - subroutines: The closures that make the results; each runs once.
///   - queue: The queue on which the closures run.
/// - Returns: A deferred of the results; see `Deferred.all(_:on:)`.
@_disfavoredOverload
public func / <Result>(subroutines: [() -> Result], queue: DispatchQueue) -> Deferred<[Result]> {
  let sendable = subroutines.map { subroutine in
    let subroutine = Transfer(subroutine)
    return { @Sendable () throws -> Result in subroutine.value() }
  }
  return .all(sendable, on: queue)
}

/// Returns a deferred of the results of sendable closures that run concurrently on a queue, in the closures' order.
///
/// Without this function, the compiler would convert the array for the other one, and the program would stop.
///
/// - Parameters:
///   - subroutines: The closures that make the results; each runs once.
///   - queue: The queue on which the closures run.
/// - Returns: A deferred of the results; see `Deferred.all(_:on:)`.
public func / <Result>(subroutines: [@Sendable () -> Result], queue: DispatchQueue) -> Deferred<[Result]> {
  // Converted one by one, because the array can't be converted to one of throwing closures either.
  .all(subroutines.map { subroutine in { @Sendable () throws -> Result in subroutine() } }, on: queue)
}
