import OperationFlow

/// Tells when it is freed.
package final class Token: Sendable {
  private let whenFreed: @Sendable () -> Void
  package init(_ whenFreed: @escaping @Sendable () -> Void) { self.whenFreed = whenFreed }
  package convenience init(_ isFreed: Signal) { self.init { isFreed.fire() } }
  deinit { whenFreed() }

  /// Something to do with it, so that it is held by a closure.
  package func touch() {}
}
