import Dispatch

extension Progression {
  /// Returns a deferred of the progression's result; `performer` performs the steps.
  ///
  /// - Parameter performer: Performs each step, on a queue of its choice.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(performer: @escaping AsyncPerformer) -> Deferred<Result> {
    unseen?.deferredUnseen(as: Result.self, turnLength: 1, performer: performer)
      ?? deferred(turnLength: 1, performer: performer, progress: { _ in true })
  }

  /// Returns a deferred of the progression's result; `performer` performs the steps, and `progress` gets each of them.
  ///
  /// The performer is called for every step. One that performs immediately needs no more stack for a million steps than
  /// for one. A future's result is also handled within the performer; an `advance()` runs on the pool of tasks.
  ///
  /// - Parameters:
  ///   - performer: Performs each step, on a queue of its choice.
  ///   - progress: Gets every step as it is reached, including the first and the last; false cancels, and the result is
  ///     a `FlowError` with the code `cancelled`.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(
    performer: @escaping AsyncPerformer, progress: @escaping @Sendable (Self) -> Bool
  ) -> Deferred<Result> {
    deferred(turnLength: 1, performer: performer, progress: progress)
  }

  /// Returns a deferred of the progression's result; the steps are taken on `queue`.
  ///
  /// - Parameter queue: Where the steps are taken, up to a hundred in one block; on the main queue, each in its own.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(queue: DispatchQueue) -> Deferred<Result> {
    unseen?.deferredUnseen(as: Result.self, turnLength: queue.turnLength, performer: { queue.async(execute: $0) })
      ?? deferred(
        turnLength: queue.turnLength, performer: { queue.async(execute: $0) }, progress: { _ in true })
  }

  /// Returns a deferred of the progression's result; the steps are taken on `queue`, and `progress` gets each of them.
  ///
  /// Steps that are available immediately are taken in one block of the queue, up to a hundred of them; on the main
  /// queue, each is a block of its own, so that events are handled in between. A future's result is also handled on the
  /// queue; an `advance()` runs on the pool of tasks.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the steps are taken.
  ///   - progress: Gets every step as it is reached, including the first and the last; false cancels, and the result is
  ///     a `FlowError` with the code `cancelled`.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(
    queue: DispatchQueue, progress: @escaping @Sendable (Self) -> Bool
  ) -> Deferred<Result> {
    deferred(
      turnLength: queue.turnLength, performer: { queue.async(execute: $0) }, progress: progress)
  }

  @inlinable
  func deferred(
    turnLength: Int, performer: @escaping AsyncPerformer, progress: @escaping @Sendable (Self) -> Bool
  ) -> Deferred<Result> {
    .future { resolve in
      StepDriver(self, turnLength: turnLength, performer: performer, progress: progress, resolve: resolve).hop()
    }
  }
}

extension DispatchQueue {
  private static let mainKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    main.setSpecific(key: key, value: ())
    return key
  }()

  /// How many steps a block of the queue may take; the main queue isn't the same object everywhere, but it has a mark.
  @usableFromInline var turnLength: Int { getSpecific(key: Self.mainKey) == nil ? 100 : 1 }
}
