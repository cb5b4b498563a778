extension Deferred {
  /// Produces the result, and delivers it.
  ///
  /// A result that is available immediately is delivered before this method returns. You can call it from any thread.
  ///
  /// - Parameter handleResult: A closure that is called once, on the thread on which the result becomes available, with
  ///   a closure that returns the result or throws.
  @preconcurrency
  public func perform(_ handleResult: @escaping @Sendable (@escaping @Sendable () throws -> Result) -> Void) {
    let handle = { (use: @escaping UseResult) in
      let use = Transfer(use)
      handleResult { try use.value() }
    }
    // A loop of its own, so that results that are available immediately are delivered before this returns.
    Trampoline.run { begin(handle) }
  }

  /// The result, once it is available.
  ///
  /// The wait can't be cancelled: a future that has started continues. A closure runs on the pool of tasks.
  public nonisolated(nonsending) var value: Result {
    // Transferred, so that code on an actor can read it, too.
    get async throws { try await Self.result(of: Transfer(self)).value }
  }

  @concurrent
  private static func result(of deferred: Transfer<Deferred>) async throws -> Transfer<Result> {
    if case .unit(let use) = deferred.value { return Transfer(try use()) }
    let use: Transfer<UseResult> = await withCheckedContinuation { continuation in
      Trampoline.run { deferred.value.begin { continuation.resume(returning: Transfer($0)) } }
    }
    return Transfer(try use.value())
  }

  /// Starts producing the result, for a caller that runs in a loop, or at the end of its own work.
  func begin(_ receive: @escaping (@escaping UseResult) -> Void) {
    switch self {
    case .unit(let use): receive(use)
    case .future(let request):
      if let use = Handoff(receive).start(request) { receive(use) }
    }
  }

  /// Starts producing the result for a callback that already ignores later calls, so repeated chaining adds no layers.
  func passOn(to resolve: @escaping Resolve) {
    switch self {
    case .unit(let use): resolve(use)
    case .future(let request): request(resolve)
    }
  }
}
