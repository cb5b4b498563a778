import Dispatch

extension Progression {
  /// Returns a deferred of the progression's result; `performer` performs the steps.
  ///
  /// - Parameter performer: The performer of each step, on a queue of its choice.
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
  ///   - performer: The performer of each step, on a queue of its choice.
  ///   - progress: A closure that gets every step as it is reached, including the first and the last. If it returns
  ///     false, the progression is cancelled, and the result is a `FlowError` with the code `cancelled`.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(
    performer: @escaping AsyncPerformer, progress: @escaping @Sendable (Self) -> Bool
  ) -> Deferred<Result> {
    deferred(turnLength: 1, performer: performer, progress: progress)
  }

  /// Returns a deferred of the progression's result; the steps run on `queue`.
  ///
  /// - Parameter queue: The queue on which the steps run, up to a hundred in one block; on the main queue, each in its
  ///   own.
  /// - Returns: A deferred of the result; it runs the progression each time it is performed.
  @inlinable
  @preconcurrency
  public func deferred(queue: DispatchQueue) -> Deferred<Result> {
    unseen?.deferredUnseen(as: Result.self, turnLength: queue.turnLength, performer: { queue.async(execute: $0) })
      ?? deferred(
        turnLength: queue.turnLength, performer: { queue.async(execute: $0) }, progress: { _ in true })
  }

  /// Returns a deferred of the progression's result; the steps run on `queue`, and `progress` gets each of them.
  ///
  /// Steps that are available immediately run in one block of the queue, up to a hundred of them. On the main queue,
  /// each is a block of its own, so that events are handled in between. A future's result is also handled on the queue;
  /// an `advance()` runs on the pool of tasks.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the steps run.
  ///   - progress: A closure that gets every step as it is reached, including the first and the last. If it returns
  ///     false, the progression is cancelled, and the result is a `FlowError` with the code `cancelled`.
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

  /// The maximum number of steps in a block of the queue; a mark identifies the main queue, which may be another
  /// object.
  @usableFromInline var turnLength: Int { getSpecific(key: Self.mainKey) == nil ? 100 : 1 }
}
