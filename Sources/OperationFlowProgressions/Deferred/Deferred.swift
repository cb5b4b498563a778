/// A result produced later, by a closure or a callback.
///
/// A deferred is a recipe: nothing runs before it is performed, and it runs again each time it is performed. The caller
/// gets the result as a closure that returns it or throws, so errors are caught in one place.
///
/// A future may call back immediately or later, on any thread. The first call counts. A future whose callback is
/// released without a call ends with a `FlowError` whose code is `neverFinished`. A deferred doesn't have to be
/// `Sendable`: its closures and its result are transferred from thread to thread, and used by one of them at a time. A
/// closure that is written on an actor doesn't run there, and the compiler doesn't notice if the closure uses the
/// actor's state: copy that state into a constant before.
public enum Deferred<Result> {
  /// Returns the result, or throws the error of the deferred.
  public typealias UseResult = () throws -> Result
  /// Resolves a future, from any thread; the first call counts.
  public typealias Resolve = @Sendable (_ useResult: @escaping UseResult) -> Void

  /// A result that a closure produces, where and when the result is used.
  case unit(UseResult)
  /// A result that a callback delivers.
  @preconcurrency case future((@escaping Resolve) -> Void)
}

extension Deferred {
  /// Creates a deferred whose result a closure produces: `Deferred { try parse(data) }`.
  ///
  /// - Parameter subroutine: A closure that returns the result, or throws. It runs where and when the result is used.
  public init(running subroutine: @escaping UseResult) {
    self = .unit(subroutine)
  }

  /// Creates a deferred that fails.
  ///
  /// - Parameter error: The error of the deferred.
  public init(throwing error: any Error) {
    self = .unit { throw error }
  }
}
