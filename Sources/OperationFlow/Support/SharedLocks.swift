/// Locks that many small objects share, so code that holds one must not call anything that could take another.
package struct SharedLocks: @unchecked Sendable {
  // Invariant: the table is written once, before anything else can see it, and is never freed.
  package static let all = SharedLocks(count: 64)

  private let locks: UnsafeMutablePointer<PlatformLock>
  private let mask: UInt

  /// The count is a power of two.
  private init(count: Int) {
    mask = UInt(count - 1)
    locks = .allocate(capacity: count)
    for index in 0..<count {
      (locks + index).initialize(to: PlatformLock())
      PlatformLock.prepare(locks + index)
    }
  }

  /// Runs `body` under the lock of an object, which stays the same for the object's lifetime.
  func withLock<Result>(of object: AnyObject, _ body: () -> Result) -> Result {
    let lock = locks + index(of: object)
    PlatformLock.take(lock)
    defer { PlatformLock.giveBack(lock) }
    return body()
  }

  // For other modules: they don't inline `package` declarations, and a generic function costs more than the lock.
  package func lock(_ object: AnyObject) { PlatformLock.take(locks + index(of: object)) }
  package func unlock(_ object: AnyObject) { PlatformLock.giveBack(locks + index(of: object)) }

  private func index(of object: AnyObject) -> Int {
    // Objects are aligned to 16 bytes, so the bits above tell them apart.
    Int(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) / 16 & mask)
  }
}
