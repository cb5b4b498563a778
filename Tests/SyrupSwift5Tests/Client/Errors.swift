import Syrup

/// Counts the underlying errors, by the error's name in Syrup.
func count(of error: Error) -> Int {
  if case let Deferred<Int>.Error.underlyingErrors(errors)? = error as? Deferred<Int>.Error { return errors.count }
  return 1
}
