import Dispatch
import Foundation

@testable import OperationFlow

/// A door that blocks the thread that comes to it until somebody opens it, for good.
///
/// For plain threads and for main logic that is to be caught running; tasks use `Signal`.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until it is open.
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
