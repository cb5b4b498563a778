#if canImport(Darwin)
  import os

  private typealias SystemLock = os_unfair_lock
#else
  import Foundation
  import Synchronization

  private typealias SystemLock = pthread_mutex_t
#endif

/// A state behind a lock that exists on every deployment target, unlike `Synchronization.Mutex`; copies share the
/// state.
///
/// The state needn't be copyable, so that a large state can't be copied by mistake.
package struct Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
  // Invariant: the value is read and written only while the lock is held.
  private let storage: ManagedBuffer<PlatformLock, Value>

  package init(_ value: consuming Value) {
    storage = Storage.create(minimumCapacity: 1) { _ in PlatformLock() }
    let (lock, place) = storage.withUnsafeMutablePointers { ($0, $1) }
    PlatformLock.prepare(lock)
    // Initialized outside the closure, which would copy the value.
    place.initialize(to: consume value)
    withExtendedLifetime(storage) {}
  }

  /// Runs `body` with exclusive access to the state: make decisions in `body`, and act on its result outside.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { lock, value in
      PlatformLock.lock(lock)
      defer { PlatformLock.unlock(lock) }
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

/// The system's lock, in the object that it guards: an `os_unfair_lock` on Apple's platforms, and a mutex elsewhere.
///
/// Apple's lock lends the priority of a waiting thread to the lock's owner. The thread sanitizer supports both kinds,
/// unlike `Synchronization.Mutex`. The lock is used only by its address.
struct PlatformLock: @unchecked Sendable {
  // Invariant: the system alone changes the lock, by the functions below.
  private var lock = SystemLock()

  /// Returns the address of the system's lock, which is that of the struct, because it is the first property.
  private static func inner(of lock: UnsafeMutablePointer<PlatformLock>) -> UnsafeMutablePointer<SystemLock> {
    UnsafeMutableRawPointer(lock).assumingMemoryBound(to: SystemLock.self)
  }

  #if canImport(Darwin)
    /// Prepares a lock for use, at its final address.
    static func prepare(_ lock: UnsafeMutablePointer<PlatformLock>) {}

    static func lock(_ lock: UnsafeMutablePointer<PlatformLock>) {
      os_unfair_lock_lock(inner(of: lock))
    }

    static func unlock(_ lock: UnsafeMutablePointer<PlatformLock>) { os_unfair_lock_unlock(inner(of: lock)) }

    /// Frees the system's resources for the lock: there are none.
    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) {}
  #else
    /// The attributes of a mutex for which threads spin briefly before they sleep, because locks are held for short
    /// times.
    private static let attributes: pthread_mutexattr_t = {
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      #if canImport(Glibc)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
      #endif
      return attributes
    }()

    static func prepare(_ lock: UnsafeMutablePointer<PlatformLock>) {
      _ = withUnsafePointer(to: attributes) { pthread_mutex_init(inner(of: lock), $0) }
    }

    static func lock(_ lock: UnsafeMutablePointer<PlatformLock>) {
      if pthread_mutex_trylock(inner(of: lock)) != 0 { wait(for: lock) }
    }

    private static func wait(for lock: UnsafeMutablePointer<PlatformLock>) {
      waitingCount.add(1, ordering: .relaxed)
      pthread_mutex_lock(inner(of: lock))
      waitingCount.subtract(1, ordering: .relaxed)
    }

    private static let waitingCount = Atomic<Int>(0)

    /// True if threads wait for locks, and not because of users' work, so that more threads would only wait as well.
    static var isAwaited: Bool { waitingCount.load(ordering: .relaxed) > 0 }

    static func unlock(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_unlock(inner(of: lock)) }

    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_destroy(inner(of: lock)) }
  #endif
}
