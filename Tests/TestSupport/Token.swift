import OperationFlow

/// Calls a closure when it is freed.
package final class Token: Sendable {
  private let whenFreed: @Sendable () -> Void
  package init(_ whenFreed: @escaping @Sendable () -> Void) { self.whenFreed = whenFreed }
  package convenience init(_ isFreed: Signal) { self.init { isFreed.fire() } }
  deinit { whenFreed() }

  /// Does nothing: a closure that calls this captures the token.
  package func touch() {}
}
