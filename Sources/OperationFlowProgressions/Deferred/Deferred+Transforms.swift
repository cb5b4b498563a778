import Dispatch

extension Deferred {
  /// Returns a deferred of the transformed result.
  ///
  /// The transform runs once each time the deferred is performed, even if its result isn't used. It runs on the thread
  /// where the result becomes available, or on the queue of the next ``on(_:)``.
  ///
  /// - Parameter transform: A closure that returns the new result, or throws. It isn't called after an error.
  /// - Returns: A deferred of the new result.
  @preconcurrency
  public func map<Output>(_ transform: @escaping @Sendable (Result) throws -> Output) -> Deferred<Output> {
    mapped(transform)
  }

  /// Returns a deferred of the result of the deferred that `transform` returns for this result.
  ///
  /// Nothing runs before the new deferred is performed. Chains of any length are performed, and freed, with constant
  /// stack.
  ///
  /// - Parameter transform: A closure that gets a closure which returns this result or throws, so it can also continue
  ///   after an error. If it throws, the new deferred fails with that error.
  /// - Returns: A deferred of the result of the deferred that `transform` returns.
  @preconcurrency
  public func flatMap<Output>(
    _ transform: @escaping @Sendable (@escaping @Sendable () throws -> Result) throws -> Deferred<Output>
  ) -> Deferred<Output> {
    chained { use, resolve in
      let use = Transfer(use)
      try transform { try use.value() }.passOn(to: resolve)
    }
  }

  /// Returns the same deferred without the result, for callers that need only the end or the error.
  ///
  /// - Returns: A deferred of nothing.
  public func ignoringResult() -> Deferred<Void> { mapped { _ in } }

  /// Returns a deferred like `map(_:)`, with a transform that one thread at a time uses.
  package func mapped<Output>(_ transform: @escaping (Result) throws -> Output) -> Deferred<Output> {
    chained { use, resolve in
      Trampoline.runWhereWanted {
        do {
          let output = try transform(use())
          resolve { output }
        } catch {
          resolve { throw error }
        }
      }
    }
  }

  /// Creates a deferred from this result with `receive`, which calls back or throws.
  ///
  /// This result is delivered on `queue`; by default, where the new result is wanted.
  func chained<Output>(
    wanting queue: DispatchQueue? = nil,
    _ receive: @escaping (@escaping UseResult, @escaping Deferred<Output>.Resolve) throws -> Void
  ) -> Deferred<Output> {
    let link = DeferredLink(source: self, receive: receive)
    return .future { link.start(wanting: queue ?? Trampoline.wantedQueue, $0) }
  }
}

/// A link of a chain of deferreds.
private final class DeferredLink<Input, Output> {
  typealias Receive = (@escaping Deferred<Input>.UseResult, @escaping Deferred<Output>.Resolve) throws -> Void

  /// A structure stores the function, because a generic function would otherwise be wrapped in another one.
  private struct Receiver {
    let receive: Receive
  }

  /// The source and the function, until the link is freed; the function may refer to other chains.
  private var source: Deferred<Input>?
  private var receiver: Receiver?

  init(source: Deferred<Input>, receive: @escaping Receive) {
    self.source = source
    receiver = Receiver(receive: receive)
  }

  deinit {
    Graveyard.bury(&source)
    Graveyard.bury(&receiver)
  }

  func start(wanting queue: DispatchQueue?, _ resolve: @escaping Deferred<Output>.Resolve) {
    Trampoline.enter(wanting: queue) {
      self.source?.begin { use in
        do { try self.receiver?.receive(use, resolve) } catch { resolve { throw error } }
      }
    }
  }
}
