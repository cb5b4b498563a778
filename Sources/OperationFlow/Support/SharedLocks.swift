import Foundation

/// Locks that many small objects share, so that making one of them makes no lock.
///
/// Two objects may have the same lock, so nothing may be called under it that could take another of these.
enum SharedLocks {
  private static let locks = (0..<64).map { _ in NSLock() }

  /// The lock of an object, the same for as long as it lives.
  static func lock(of object: AnyObject) -> NSLock {
    // Objects lie at multiples of 16, so the bits above tell them apart.
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) / 16
    return locks[Int(address % UInt(locks.count))]
  }
}
