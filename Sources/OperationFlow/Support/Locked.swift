import Foundation

/// One state behind one lock.
///
/// A wrapper over `NSLock`: the thread sanitizer sees it on every platform, which is not so of
/// `Synchronization.Mutex` on Linux, and it exists on every deployment target.
final class Locked<Value: Sendable>: @unchecked Sendable {
  // Invariant: `value` is read and written only while `lock` is held.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Runs `body` alone with the state: decide here, act on what it returns outside.
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
