import Foundation

/// One state behind one lock.
///
/// A wrapper over `NSLock`: the thread sanitizer sees it on every platform, which is not so of
/// `Synchronization.Mutex` on Linux, and it exists on every deployment target. Copies share the state.
package struct Locked<Value: Sendable>: @unchecked Sendable {
  // Invariant: the value is read and written only while the lock is held.
  private let storage: ManagedBuffer<Unmanaged<NSLock>, Value>

  package init(_ value: Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in .passRetained(NSLock()) }
    storage.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
  }

  /// Runs `body` alone with the state: decide here, act on what it returns outside.
  @inline(__always)
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      _ = lock.pointee._withUnsafeGuaranteedRef { $0.lockSoon() }
      defer { lock.pointee._withUnsafeGuaranteedRef { $0.unlock() } }
      return try body(&value.pointee)
    }
  }

  /// The same, and says whether another thread had the lock.
  @inline(__always)
  func withLock<Result>(isContended: inout Bool, _ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      isContended = lock.pointee._withUnsafeGuaranteedRef { $0.lockSoon() }
      defer { lock.pointee._withUnsafeGuaranteedRef { $0.unlock() } }
      return try body(&value.pointee)
    }
  }

  /// The lock and the value in one object; the lock is unmanaged, so that using it does not count references.
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
  /// Takes the lock, and tries a while before it waits.
  ///
  /// What is done under these locks is over in less time than a thread needs to be put to sleep and woken. True if
  /// another thread had it.
  @inline(__always) @discardableResult
  func lockSoon() -> Bool {
    let isContended = !self.try()
    if isContended { lockAfterTrying() }
    return isContended
  }

  /// Tries at growing distances, and does nothing in between that the other thread would notice: while two processors
  /// ask for the same memory, both are slow, and it is better to let one of them do a few rounds.
  @inline(never)
  private func lockAfterTrying() {
    var pause = 16
    while pause <= 256 {
      for _ in 0..<pause { _ = DispatchTime.now() }
      if self.try() { return }
      pause *= 2
    }
    lock()
  }
}
