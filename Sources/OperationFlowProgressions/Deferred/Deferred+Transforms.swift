extension Deferred {
  /// The result, transformed.
  ///
  /// The transform runs once each time the deferred is performed, whether its result is used or not. It runs where the
  /// result comes, or on the queue that ``on(_:)`` names next.
  ///
  /// - Parameter transform: Makes the new result, or throws; it isn't run if there is an error already.
  /// - Returns: A deferred of the new result.
  @preconcurrency
  public func map<Output>(_ transform: @escaping @Sendable (Result) throws -> Output) -> Deferred<Output> {
    mapped(transform)
  }

  /// The result of the deferred that `transform` returns for this one's.
  ///
  /// Nothing runs before it is performed. Chains of any length are performed, and freed, in constant stack.
  ///
  /// - Parameter transform: Given a closure that returns this one's result or throws, so that it can go on after an error
  ///   as well; what it throws is what the new deferred fails with.
  /// - Returns: A deferred of the other's result.
  @preconcurrency
  public func flatMap<Output>(
    _ transform: @escaping @Sendable (@escaping @Sendable () throws -> Result) throws -> Deferred<Output>
  ) -> Deferred<Output> {
    chained { use, resolve in
      let use = Transfer(use)
      try transform { try use.value() }.passOn(to: resolve)
    }
  }

  /// The same without the result, for callers to whom only the end or the error matters.
  ///
  /// - Returns: A deferred of nothing.
  public func ignoringResult() -> Deferred<Void> { mapped { _ in } }

  /// The same result as `map(_:)` gives, with a transform that is used by one thread at a time.
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

  /// A deferred that is made of this one's result, by `receive`, which calls back or throws.
  func chained<Output>(
    _ receive: @escaping (@escaping UseResult, @escaping Deferred<Output>.Resolve) throws -> Void
  ) -> Deferred<Output> {
    let link = DeferredLink(source: self, receive: receive)
    return .future { link.start($0) }
  }
}

/// A link of a chain of deferreds.
private final class DeferredLink<Input, Output> {
  typealias Receive = (@escaping Deferred<Input>.UseResult, @escaping Deferred<Output>.Resolve) throws -> Void

  /// There until it is freed.
  private var source: Deferred<Input>?
  private let receive: Receive

  init(source: Deferred<Input>, receive: @escaping Receive) {
    self.source = source
    self.receive = receive
  }

  deinit { Graveyard.bury(&source) }

  func start(_ resolve: @escaping Deferred<Output>.Resolve) {
    Trampoline.enter(wanting: Trampoline.wantedQueue) {
      self.source?.begin { use in
        do { try self.receive(use, resolve) } catch { resolve { throw error } }
      }
    }
  }
}
