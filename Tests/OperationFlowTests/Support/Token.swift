@testable import OperationFlow

/// Tells when it is freed.
final class Token: Sendable {
  private let whenFreed: @Sendable () -> Void
  init(_ whenFreed: @escaping @Sendable () -> Void) { self.whenFreed = whenFreed }
  convenience init(_ isFreed: Signal) { self.init { isFreed.fire() } }
  deinit { whenFreed() }

  /// Something to do with it, so that it is held by a closure.
  func touch() {}
}
