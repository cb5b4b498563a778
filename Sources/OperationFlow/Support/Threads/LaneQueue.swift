import Foundation

/// Gives threads to the lanes of one run, and more if some are blocked.
///
/// On Apple's platforms that is an operation queue's own business: the system adds threads there at once.
final class LaneQueue: @unchecked Sendable {
  // Invariant: what changes is used only under the object's shared lock.
  #if canImport(Darwin)
    private let queue = OperationQueue()

    init(name: String) { queue.name = name }

    /// Adds a lane `count` times.
    func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) {
      for _ in 0..<count { queue.addOperation(lane) }
    }

    /// Adds a lane after a millisecond, and holds no thread meanwhile.
    func addLater(_ lane: @escaping @Sendable () -> Void) {
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.add(1, lane) }
    }

    /// Adds what `starter(_:)` has made.
    func add(_ starter: Operation) { queue.addOperation(starter) }

    /// An operation that waits for others in the place of something that can't be started before them.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation { BlockOperation(block: start) }
  #else
    /// For what is short, and must not wait for libdispatch's pool.
    private static let quick = SerialOperationQueue()

    /// Those of the operations that wait for others, one each: a queue looks at all that wait whenever one is ready.
    private var waiting: [SerialOperationQueue] = []

    init(name: String) {}

    /// Adds a lane `count` times.
    func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) { ThreadPool.shared.add(count, lane) }

    /// Adds a lane after a millisecond, and holds no thread meanwhile.
    func addLater(_ lane: @escaping @Sendable () -> Void) {
      Self.quick.addLater { ThreadPool.shared.add(1, lane) }
    }

    /// Adds what `starter(_:)` has made.
    func add(_ starter: Operation) {
      // The dispatch queue is one that is never freed: a starter may still be ending when the run is gone.
      let queue = SerialOperationQueue(sharedWith: Self.quick)
      SharedLocks.all.withLock(of: self) { waiting.append(queue) }
      queue.add(starter)
    }

    /// An operation that waits for others in the place of something that can't be started before them.
    ///
    /// It has that started by a thread that may be blocked.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation {
      BlockOperation { ThreadPool.shared.add(1, start) }
    }
  #endif
}
