import Foundation

#if canImport(Darwin)
  /// Gives threads to the lanes of one run: the system immediately adds some if others are blocked, up to 64 in a process.
  package final class LaneQueue: @unchecked Sendable {
    // Invariant: the queue never changes, and can be used from any thread.
    private let queue = OperationQueue()

    /// The lanes have the priority of the task or the thread that makes the queue, which is the one that starts the run.
    package init(name: @autoclosure () -> String) {
      queue.name = name()
      queue.qualityOfService =
        switch Task.currentPriority.rawValue {
        case 26...: .userInteractive
        case 22...25: .userInitiated
        case 18...21: .default
        case 10...17: .utility
        default: .background
        }
    }

    package func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) {
      for _ in 0..<count { queue.addOperation(lane) }
    }

    /// Adds an operation created by `starter(_:)`; returns what has to be held for as long as the run, if anything has.
    func add(_ starter: Operation) -> (any AnyObject & Sendable)? {
      queue.addOperation(starter)
      return nil
    }

    /// Creates an operation that waits for others on behalf of something that can't be started before them.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation { BlockOperation(block: start) }

    /// Whether an operation has a quality of service of its own, so that it can't run on a lane, which has its run's.
    static func mustEnqueue(_ operation: Operation) -> Bool { operation.qualityOfService != .default }

    /// Gives a starter the quality of service of the operation that it starts.
    static func adjust(_ starter: Operation, for operation: Operation) {
      if mustEnqueue(operation) { starter.qualityOfService = operation.qualityOfService }
    }
  }
#else
  /// Gives threads to the lanes of one run, and more if some are blocked: those of a pool that all runs share.
  package struct LaneQueue: Sendable {
    /// For short work, because a serial queue gets a thread at once; never freed, because a starter may end after its run.
    private static let quick = DispatchQueue(label: "OperationFlow")

    package init(name: @autoclosure () -> String) {}

    package func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) { ThreadPool.shared.add(count, lane) }

    /// Adds a starter to a queue of its own, which has to be held: a queue checks all that wait whenever one is ready.
    func add(_ starter: Operation) -> (any AnyObject & Sendable)? {
      let queue = OperationQueue()
      queue.underlyingQueue = Self.quick
      queue.addOperation(starter)
      return queue
    }

    /// The work is started on a thread that may be blocked.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation {
      BlockOperation { ThreadPool.shared.add(1, start) }
    }

    // All threads have the same priority here.
    static func mustEnqueue(_ operation: Operation) -> Bool { false }
    static func adjust(_ starter: Operation, for operation: Operation) {}
  }
#endif
