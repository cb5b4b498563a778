import Foundation

/// One state behind one lock.
///
/// A wrapper over `NSLock`: the thread sanitizer sees it on every platform, unlike `Synchronization.Mutex` on Linux,
/// and it exists on every deployment target. Copies share the state.
package struct Locked<Value: Sendable>: @unchecked Sendable {
  // Invariant: the value is read and written only while the lock is held.
  private let storage: ManagedBuffer<Unmanaged<NSLock>, Value>

  package init(_ value: Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in .passRetained(NSLock()) }
    storage.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
  }

  /// Runs `body` with exclusive access to the state: make decisions in `body`, and act on its result outside.
  @inline(__always)
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      _ = lock.pointee._withUnsafeGuaranteedRef { $0.lockSoon() }
      defer { lock.pointee._withUnsafeGuaranteedRef { $0.unlock() } }
      return try body(&value.pointee)
    }
  }

  /// Runs `body` like the method above, and returns whether another thread held the lock.
  @inline(__always)
  func withLock<Result>(isContended: inout Bool, _ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      isContended = lock.pointee._withUnsafeGuaranteedRef { $0.lockSoon() }
      defer { lock.pointee._withUnsafeGuaranteedRef { $0.unlock() } }
      return try body(&value.pointee)
    }
  }

  /// The lock and the value in one object; the lock is unmanaged, so that using it doesn't count references.
  private final class Storage: ManagedBuffer<Unmanaged<NSLock>, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        _ = value.deinitialize(count: 1)
        lock.pointee.release()
      }
    }
  }
}

extension NSLock {
  /// Takes the lock, trying for a while before it waits.
  ///
  /// Code under these locks finishes in less time than it takes to put a thread to sleep and wake it. Returns true if
  /// another thread held the lock.
  @inline(__always) @discardableResult
  func lockSoon() -> Bool {
    let isContended = !self.try()
    if isContended { lockAfterTrying() }
    return isContended
  }

  /// Tries at growing intervals, without disturbing the other thread in between.
  ///
  /// While two processors compete for the same memory both are slow, so it's better to let one of them do a few rounds.
  @inline(never)
  private func lockAfterTrying() {
    var pause = 16
    while pause <= 256 {
      for _ in 0..<pause { _ = DispatchTime.now() }
      if self.try() { return }
      pause *= 2
    }
    #if canImport(Darwin)
      lock()
    #else
      LockWaits.counting { lock() }
    #endif
  }
}
