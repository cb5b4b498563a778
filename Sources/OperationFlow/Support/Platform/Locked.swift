#if canImport(Darwin)
  import os

  private typealias SystemLock = os_unfair_lock
#else
  import Foundation
  import Synchronization

  private typealias SystemLock = pthread_mutex_t
#endif

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

/// The lock under the package's state, within the object that it guards: the system's own on Apple's platforms, where it
/// lends the priority of a thread that waits to the one that holds it, and elsewhere a mutex of the system's.
///
/// The thread sanitizer sees both, unlike `Synchronization.Mutex`. It is used by its address only.
struct PlatformLock: @unchecked Sendable {
  // Invariant: the system alone changes the lock, by the functions below.
  private var lock = SystemLock()

  /// The first property of a struct has its address.
  private static func inner(of lock: UnsafeMutablePointer<PlatformLock>) -> UnsafeMutablePointer<SystemLock> {
    UnsafeMutableRawPointer(lock).assumingMemoryBound(to: SystemLock.self)
  }

  #if canImport(Darwin)
    /// Makes a lock usable that is at the place where it stays.
    static func prepare(_ lock: UnsafeMutablePointer<PlatformLock>) {}

    static func lock(_ lock: UnsafeMutablePointer<PlatformLock>) {
      os_unfair_lock_lock(inner(of: lock))
    }

    static func unlock(_ lock: UnsafeMutablePointer<PlatformLock>) { os_unfair_lock_unlock(inner(of: lock)) }

    /// Frees what the system keeps for the lock: nothing.
    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) {}
  #else
    /// A thread that has to wait tries a few times before it sleeps, because state is guarded for short times only.
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

    /// Whether threads wait for locks: asleep, but not blocked by users' work, so that more threads would only wait as well.
    static var isAwaited: Bool { waitingCount.load(ordering: .relaxed) > 0 }

    static func unlock(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_unlock(inner(of: lock)) }

    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_destroy(inner(of: lock)) }
  #endif
}
