import Foundation

/// Locks that many small objects share, so that making one of them makes no lock.
///
/// Two objects may have the same lock, so nothing may be called under it that could take another of these.
package struct SharedLocks: @unchecked Sendable {
  // Invariant: the table is written once, before anybody has it, and is never freed.
  package static let all = SharedLocks(count: 64)

  private let locks: UnsafeMutablePointer<Unmanaged<NSLock>>
  private let mask: UInt

  /// The count is a power of two.
  private init(count: Int) {
    mask = UInt(count - 1)
    locks = .allocate(capacity: count)
    for index in 0..<count { (locks + index).initialize(to: .passRetained(NSLock())) }
  }

  /// Runs `body` under the lock of an object, which is the same for as long as the object lives.
  @inline(__always)
  func withLock<Result>(of object: AnyObject, _ body: () -> Result) -> Result {
    locks[index(of: object)]._withUnsafeGuaranteedRef { lock in
      lock.lockSoon()
      defer { lock.unlock() }
      return body()
    }
  }

  /// Takes the lock of an object; `unlock(_:)` gives it back.
  ///
  /// For other modules: what has `package` access is not inlined there, and a generic function would cost more than the
  /// lock.
  package func lock(_ object: AnyObject) {
    locks[index(of: object)]._withUnsafeGuaranteedRef { _ = $0.lockSoon() }
  }

  /// Gives back the lock of an object.
  package func unlock(_ object: AnyObject) {
    locks[index(of: object)]._withUnsafeGuaranteedRef { $0.unlock() }
  }

  @inline(__always)
  private func index(of object: AnyObject) -> Int {
    // Objects lie at multiples of 16, so the bits above tell them apart.
    Int(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) / 16 & mask)
  }
}
