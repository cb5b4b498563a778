import Foundation

/// Gives threads to the lanes of one run, and more if some are blocked.
///
/// On Apple's platforms an operation queue does this itself, because the system adds threads immediately, up to 64 in a process.
final class LaneQueue: @unchecked Sendable {
  // Invariant: mutable state is used only under the object's shared lock.
  #if canImport(Darwin)
    private let queue = OperationQueue()

    /// The lanes have the priority of the task or the thread that makes the queue, which is the one that starts the run.
    init(name: @autoclosure () -> String) {
      queue.name = name()
      queue.qualityOfService = QualityOfService(Task.currentPriority)
    }

    /// Adds a lane `count` times.
    func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) {
      for _ in 0..<count { queue.addOperation(lane) }
    }

    /// Adds an operation created by `starter(_:)`.
    func add(_ starter: Operation) { queue.addOperation(starter) }

    /// Creates an operation that waits for others on behalf of something that can't be started before them.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation { BlockOperation(block: start) }

    /// Whether an operation has a quality of service of its own, so that it can't run on a lane, which has its run's.
    static func mustEnqueue(_ operation: Operation) -> Bool { operation.qualityOfService != .default }

    /// Gives a starter the quality of service of the operation that it starts.
    static func adjust(_ starter: Operation, for operation: Operation) {
      if mustEnqueue(operation) { starter.qualityOfService = operation.qualityOfService }
    }
  #else
    /// For short work that must not wait for libdispatch's pool.
    private static let quick = SerialOperationQueue()

    /// A queue for each operation that waits for others, because a queue checks all that wait whenever one is ready.
    private var waiting: [SerialOperationQueue] = []

    init(name: @autoclosure () -> String) {}

    /// Adds a lane `count` times.
    func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) { ThreadPool.shared.add(count, lane) }

    /// Adds an operation created by `starter(_:)`.
    func add(_ starter: Operation) {
      // This dispatch queue is never freed, because a starter may still be ending when the run is gone.
      let queue = SerialOperationQueue(sharedWith: Self.quick)
      SharedLocks.all.withLock(of: self) { waiting.append(queue) }
      queue.add(starter)
    }

    /// Creates an operation that waits for others on behalf of something that can't be started before them.
    ///
    /// The work is started on a thread that may be blocked.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation {
      BlockOperation { ThreadPool.shared.add(1, start) }
    }

    /// Returns false, because all threads have the same priority here.
    @inline(__always)
    static func mustEnqueue(_ operation: Operation) -> Bool { false }

    /// Does nothing, because all threads have the same priority here.
    @inline(__always)
    static func adjust(_ starter: Operation, for operation: Operation) {}
  #endif
}

#if canImport(Darwin)
  extension QualityOfService {
    /// The quality of service that threads of a priority have.
    init(_ priority: TaskPriority) {
      self =
        switch priority.rawValue {
        case 26...: .userInteractive
        case 22...25: .userInitiated
        case 18...21: .default
        case 10...17: .utility
        default: .background
        }
    }
  }
#endif
