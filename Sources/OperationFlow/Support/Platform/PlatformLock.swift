#if canImport(Darwin)
  import os

  /// The lock under the package's state: on Apple's platforms, the system's own, within the object that it guards.
  ///
  /// It lends the priority of a thread that waits to the one that holds the lock. It is used by its address only.
  struct PlatformLock: @unchecked Sendable {
    // Invariant: the system alone changes it, by the functions below.
    private var lock = os_unfair_lock()

    /// Makes a lock usable that is at the place where it stays.
    static func prepare(_ lock: UnsafeMutablePointer<PlatformLock>) {}

    @inline(__always)
    static func take(_ lock: UnsafeMutablePointer<PlatformLock>) { os_unfair_lock_lock(inner(of: lock)) }

    @inline(__always)
    static func giveBack(_ lock: UnsafeMutablePointer<PlatformLock>) { os_unfair_lock_unlock(inner(of: lock)) }

    /// Frees what the system keeps for the lock: nothing.
    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) {}

    /// A struct with one property has its address.
    @inline(__always)
    private static func inner(of lock: UnsafeMutablePointer<PlatformLock>) -> os_unfair_lock_t {
      UnsafeMutableRawPointer(lock).assumingMemoryBound(to: os_unfair_lock.self)
    }
  }
#else
  import Foundation

  /// The lock under the package's state: elsewhere, a mutex of the system's, within the object that it guards.
  ///
  /// The thread sanitizer sees it, unlike `Synchronization.Mutex`. A thread that has to wait tries a few times before it
  /// sleeps, because state is guarded for a few hundred instructions at a time. It is used by its address only.
  struct PlatformLock: Sendable {
    private var mutex = pthread_mutex_t()

    /// What all locks are made with.
    private struct Attributes: @unchecked Sendable {
      // Invariant: written once, before anything else can see it, and never freed.
      let pointer = UnsafeMutablePointer<pthread_mutexattr_t>.allocate(capacity: 1)

      init() {
        pointer.initialize(to: pthread_mutexattr_t())
        pthread_mutexattr_init(pointer)
        #if canImport(Glibc)
          pthread_mutexattr_settype(pointer, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        #endif
      }
    }

    private static let attributes = Attributes()

    /// Makes a lock usable that is at the place where it stays.
    static func prepare(_ lock: UnsafeMutablePointer<PlatformLock>) {
      pthread_mutex_init(mutex(of: lock), attributes.pointer)
    }

    @inline(__always)
    static func take(_ lock: UnsafeMutablePointer<PlatformLock>) {
      if pthread_mutex_trylock(mutex(of: lock)) != 0 { wait(for: lock) }
    }

    @inline(never)
    private static func wait(for lock: UnsafeMutablePointer<PlatformLock>) {
      LockWaits.counting { _ = pthread_mutex_lock(mutex(of: lock)) }
    }

    @inline(__always)
    static func giveBack(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_unlock(mutex(of: lock)) }

    /// Frees what the system keeps for the lock.
    static func free(_ lock: UnsafeMutablePointer<PlatformLock>) { pthread_mutex_destroy(mutex(of: lock)) }

    /// A struct with one property has its address.
    @inline(__always)
    private static func mutex(of lock: UnsafeMutablePointer<PlatformLock>) -> UnsafeMutablePointer<pthread_mutex_t> {
      UnsafeMutableRawPointer(lock).assumingMemoryBound(to: pthread_mutex_t.self)
    }
  }
#endif
