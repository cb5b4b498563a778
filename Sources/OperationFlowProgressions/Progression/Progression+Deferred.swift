import Dispatch

extension Progression {
  /// The result of the progression, whose steps are performed by `performer`, and are looked at by nobody.
  ///
  /// - Parameter performer: Performs what it is given, on a queue of its choice, for every step.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(performer: @escaping AsyncPerformer) -> Deferred<Result> {
    unseen?.deferredUnseen(as: Result.self, turnLength: 1, performer: performer)
      ?? deferred(turnLength: 1, performer: performer, progress: { _ in true })
  }

  /// The result of the progression, whose steps are performed by `performer`.
  ///
  /// The performer is called for every step. One that performs at once needs no more stack for a million steps than for
  /// one. What a future's callback brings is looked at within the performer as well; what an `advance()` does, runs on
  /// the pool of tasks.
  ///
  /// - Parameters:
  ///   - performer: Performs what it is given, on a queue of its choice.
  ///   - progress: Sees every step as it is reached, the first and the last among them; false cancels, and the result is
  ///     a `FlowError` with the code `cancelled`.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(
    performer: @escaping AsyncPerformer, progress: @escaping @Sendable (Self) -> Bool
  ) -> Deferred<Result> {
    deferred(turnLength: 1, performer: performer, progress: progress)
  }

  /// The result of the progression, whose steps are taken on `queue`, and are looked at by nobody.
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

  /// The result of the progression, whose steps are taken on `queue`.
  ///
  /// Steps that are there at once are taken in one block of the queue, up to a hundred of them; on the main queue, each
  /// is a block of its own, so that events come through. What a future's callback brings is looked at on the queue as
  /// well; what an `advance()` does, runs on the pool of tasks.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the steps are taken.
  ///   - progress: Sees every step as it is reached, the first and the last among them; false cancels, and the result is
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

  /// How many steps a block of the queue may take; the main queue is not one object everywhere, but it has its mark.
  @usableFromInline var turnLength: Int { getSpecific(key: Self.mainKey) == nil ? 100 : 1 }
}
