import OperationFlow

extension SharedLocks {
  /// Runs `body` under the lock of an object, and can be inlined in this module.
  @inline(__always)
  func withLock<Result>(of object: AnyObject, _ body: () -> Result) -> Result {
    lock(object)
    defer { unlock(object) }
    return body()
  }
}
