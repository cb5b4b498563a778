/// The main queue, for callbacks of the main actor: `.main + { useResult in … }`.
public struct MainQueue: Sendable {
  /// The main queue.
  public static let main = MainQueue()
}

/// Creates a callback of the main actor that is called on the main queue, such as a view controller's.
///
/// - Parameters:
///   - queue: The main queue.
///   - callback: The function to call.
/// - Returns: A callback that you can call from any thread.
public func + <Input>(
  queue: MainQueue, callback: @escaping @MainActor (Input) -> Void
) -> @Sendable (Input) -> Void {
  { input in
    let input = Transfer(input)
    DispatchQueue.main.async { callback(input.value) }
  }
}

/// A queue on which callbacks are called: a `DispatchQueue`.
///
/// It is a protocol, so that `.main + { … }`, which has no type's name, means the main queue of the main actor.
public protocol CallbackQueue: Sendable {
  /// Runs `work` on the queue.
  ///
  /// - Parameter work: The function to run.
  func call(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: CallbackQueue {
  /// Runs `work` on the queue.
  ///
  /// - Parameter work: The function to run.
  public func call(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

/// Creates a callback that is called on a queue.
///
/// - Parameters:
///   - queue: The queue on which the callback is called.
///   - callback: The function to call.
/// - Returns: A callback that you can call from any thread.
@preconcurrency
public func + <Queue: CallbackQueue, Input>(
  queue: Queue, callback: @escaping @Sendable (Input) -> Void
) -> @Sendable (Input) -> Void {
  { input in
    let input = Transfer(input)
    queue.call { callback(input.value) }
  }
}

extension DispatchQueue {
  /// Creates a callback that is called on a queue, and used by one thread at a time.
  ///
  /// - Parameters:
  ///   - queue: The queue on which the callback is called.
  ///   - callback: The function to call.
  /// - Returns: A callback that you can call from any thread.
  @_disfavoredOverload
  public static func + <Input>(queue: DispatchQueue, callback: @escaping (Input) -> Void) -> @Sendable (Input) -> Void {
    let callback = Transfer(callback)
    return { input in
      let input = Transfer(input)
      queue.async { callback.value(input.value) }
    }
  }
}

/// Creates a callback that is called with a quality of service.
///
/// - Parameters:
///   - quality: The quality of the global queue on which the callback is called.
///   - callback: The function to call.
/// - Returns: A callback that you can call from any thread.
@preconcurrency
public func + <Input>(
  quality: DispatchQoS.QoSClass, callback: @escaping @Sendable (Input) -> Void
) -> @Sendable (Input) -> Void {
  DispatchQueue.global(qos: quality) + callback
}

extension DispatchQoS.QoSClass {
  /// Creates a callback that is called with a quality of service, and used by one thread at a time.
  ///
  /// - Parameters:
  ///   - quality: The quality of the global queue on which the callback is called.
  ///   - callback: The function to call.
  /// - Returns: A callback that you can call from any thread.
  @_disfavoredOverload
  public static func + <Input>(
    quality: DispatchQoS.QoSClass, callback: @escaping (Input) -> Void
  ) -> @Sendable (Input) -> Void {
    DispatchQueue.global(qos: quality) + callback
  }
}
