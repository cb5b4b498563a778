/// The main queue, where a callback of the main actor may be called: `.main + { useResult in … }`.
public struct MainQueue: Sendable {
  /// The main queue.
  public static let main = MainQueue()
}

/// A callback of the main actor, such as a view controller's, that is called on the main queue.
///
/// - Parameters:
///   - queue: The main queue.
///   - callback: What is called.
/// - Returns: A callback that may be called from anywhere.
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
/// It is a protocol so that `.main + { … }`, which names no type, means the main queue of the main actor.
public protocol CallbackQueue: Sendable {
  /// Has `work` run on the queue.
  ///
  /// - Parameter work: What is run.
  func call(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: CallbackQueue {
  /// Has `work` run on the queue.
  ///
  /// - Parameter work: What is run.
  public func call(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

/// A callback that is called on a queue.
///
/// - Parameters:
///   - queue: The queue on which it is called.
///   - callback: What is called.
/// - Returns: A callback that may be called from anywhere.
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
  /// A callback that is called on a queue, and used by one thread at a time.
  ///
  /// - Parameters:
  ///   - queue: The queue on which it is called.
  ///   - callback: What is called.
  /// - Returns: A callback that may be called from anywhere.
  @_disfavoredOverload
  public static func + <Input>(queue: DispatchQueue, callback: @escaping (Input) -> Void) -> @Sendable (Input) -> Void {
    let callback = Transfer(callback)
    return { input in
      let input = Transfer(input)
      queue.async { callback.value(input.value) }
    }
  }
}

/// A callback that is called with a quality of service.
///
/// - Parameters:
///   - quality: Of the global queue on which it is called.
///   - callback: What is called.
/// - Returns: A callback that may be called from anywhere.
@preconcurrency
public func + <Input>(
  quality: DispatchQoS.QoSClass, callback: @escaping @Sendable (Input) -> Void
) -> @Sendable (Input) -> Void {
  DispatchQueue.global(qos: quality) + callback
}

extension DispatchQoS.QoSClass {
  /// A callback that is called with a quality of service, and used by one thread at a time.
  ///
  /// - Parameters:
  ///   - quality: Of the global queue on which it is called.
  ///   - callback: What is called.
  /// - Returns: A callback that may be called from anywhere.
  @_disfavoredOverload
  public static func + <Input>(
    quality: DispatchQoS.QoSClass, callback: @escaping (Input) -> Void
  ) -> @Sendable (Input) -> Void {
    DispatchQueue.global(qos: quality) + callback
  }
}
