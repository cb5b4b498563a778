#if canImport(Darwin)
  import os

  /// The lock under the package's state: on Apple's platforms, the system's own.
  ///
  /// It lends the priority of a thread that waits to the one that holds the lock.
  struct PlatformLock: Sendable {
    private let lock = OSAllocatedUnfairLock()

    @inline(__always)
    func take() { lock.lock() }

    @inline(__always)
    func giveBack() { lock.unlock() }

    /// Frees the lock, unless that happens by itself.
    func free() {}
  }
#else
  import Foundation

  /// The lock under the package's state: elsewhere, an `NSLock`.
  ///
  /// The thread sanitizer sees it, unlike `Synchronization.Mutex`. It is unmanaged, so that using it counts no
  /// references.
  struct PlatformLock: Sendable {
    private let lock = Unmanaged.passRetained(NSLock())

    @inline(__always)
    func take() {
      lock._withUnsafeGuaranteedRef { lock in
        if !lock.try() { LockWaits.counting { lock.lock() } }
      }
    }

    @inline(__always)
    func giveBack() { lock._withUnsafeGuaranteedRef { $0.unlock() } }

    /// Frees the lock, unless that happens by itself.
    func free() { lock.release() }
  }
#endif
