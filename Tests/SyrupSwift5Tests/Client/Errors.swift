import Syrup

/// Looks for the error that Syrup named.
func count(of error: Error) -> Int {
  if case let Deferred<Int>.Error.underlyingErrors(errors)? = error as? Deferred<Int>.Error { return errors.count }
  return 1
}
