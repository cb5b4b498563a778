/// A result produced later, by a closure or a callback.
///
/// It is a recipe: nothing runs before it is performed, and each time it is performed it runs again. The result is handed
/// to the caller as a closure that returns it or throws, so that errors are caught in one place.
///
/// A future may call back at once or later, on any thread. The first call counts. One that is dropped by all who could
/// have called ends with a `FlowError` whose code is `neverFinished`. A deferred need not be
/// `Sendable`: its closures and its result are handed from thread to thread, and used by one of them at a time.
public enum Deferred<Result> {
  /// Returns the result, or throws what it failed with.
  public typealias UseResult = () throws -> Result
  /// Takes the result of a future, from any thread; the first call counts.
  public typealias Resolve = @Sendable (_ useResult: @escaping UseResult) -> Void

  /// A result that is made by running a closure, where and when it is used.
  case unit(UseResult)
  /// A result that is called back with.
  @preconcurrency case future((@escaping Resolve) -> Void)
}

extension Deferred {
  /// A result that is made by running a closure: `Deferred { try parse(data) }`.
  ///
  /// - Parameter subroutine: Makes the result, or throws; it is run where and when the result is used.
  public init(running subroutine: @escaping UseResult) {
    self = .unit(subroutine)
  }

  /// A failure.
  ///
  /// - Parameter error: What it fails with.
  public init(throwing error: any Error) {
    self = .unit { throw error }
  }
}
