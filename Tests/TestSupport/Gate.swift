import Dispatch
import Foundation
import OperationFlow

/// A door that blocks the threads that arrive at it until it is opened, for good.
///
/// For plain threads and for main logic that is to be caught running; tasks use `Signal`.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() { semaphore.signal() }

  /// Waits until the gate is open.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
