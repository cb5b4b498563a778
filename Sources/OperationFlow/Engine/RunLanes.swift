import Foundation

/// The lanes of a run: loops on its operation queue, each of which performs work until there is none for it.
///
/// They are added as there is work; one whose work ends elsewhere gives its thread back.
final class RunLanes: Sendable {
  private let queue = OperationQueue()

  init(name: String) { queue.name = name }

  /// Adds lanes to the queue.
  func add(_ count: Int, _ run: @escaping @Sendable () -> Void) {
    for _ in 0..<count { queue.addOperation(run) }
  }

  /// Adds a lane after a millisecond, and holds no thread meanwhile.
  func addLater(_ run: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.add(1, run) }
  }

  /// Gives the queue an operation that can't be started directly, because it has dependencies.
  func enqueue(_ operation: Operation) { queue.addOperation(operation) }
}
