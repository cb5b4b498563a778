@testable import OperationFlow

/// Tells when it is freed.
final class Token: Sendable {
  private let isFreed: Signal
  init(_ isFreed: Signal) { self.isFreed = isFreed }
  deinit { isFreed.fire() }

  /// Something to do with it, so that it is held by a closure.
  func touch() {}
}
