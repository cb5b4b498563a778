/// A state behind a lock that exists on every deployment target, unlike `Synchronization.Mutex`; copies share it.
///
/// The state need not be copyable: then nothing copies a large one by mistake, and there is no code for it.
package struct Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
  // Invariant: the value is read and written only while the lock is held.
  private let storage: ManagedBuffer<PlatformLock, Value>

  package init(_ value: consuming Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in PlatformLock() }
    let (lock, place) = storage.withUnsafeMutablePointers { ($0, $1) }
    PlatformLock.prepare(lock)
    // Outside the closure, which would copy the value.
    place.initialize(to: consume value)
    withExtendedLifetime(storage) {}
  }

  /// Runs `body` with exclusive access to the state: make decisions in `body`, and act on its result outside.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      PlatformLock.take(lock)
      defer { PlatformLock.giveBack(lock) }
      return try body(&value.pointee)
    }
  }

  private final class Storage: ManagedBuffer<PlatformLock, Value> {
    deinit {
      withUnsafeMutablePointers { lock, value in
        _ = value.deinitialize(count: 1)
        PlatformLock.free(lock)
      }
    }
  }
}
