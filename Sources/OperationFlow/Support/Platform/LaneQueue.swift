import Foundation

#if canImport(Darwin)
  /// The threads for the lanes of one run; if some are blocked, the system adds others, up to 64 in a process.
  package final class LaneQueue: @unchecked Sendable {
    // Invariant: the queue never changes, and can be used from any thread.
    private let queue = OperationQueue()

    /// Creates a queue with the priority of the current task or thread, which is the one that starts the run.
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

    /// Adds an operation created by `starter(_:)`; returns an object to retain as long as the run, if there is one.
    func add(_ starter: Operation) -> (any AnyObject & Sendable)? {
      queue.addOperation(starter)
      return nil
    }

    /// Creates an operation that depends on others, and then starts an operation that can't be started before them.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation { BlockOperation(block: start) }

    /// Returns true if an operation has its own quality of service, and so can't run on a lane, which has its run's.
    static func mustEnqueue(_ operation: Operation) -> Bool { operation.qualityOfService != .default }

    /// Sets the quality of service of a starter to that of the operation that it starts.
    static func adjust(_ starter: Operation, for operation: Operation) {
      if mustEnqueue(operation) { starter.qualityOfService = operation.qualityOfService }
    }
  }
#else
  /// The threads for the lanes of one run, and more if some are blocked: those of a pool that all runs share.
  package struct LaneQueue: Sendable {
    /// A serial queue for short work, which gets a thread immediately; never freed, because a starter may outlive its
    /// run.
    private static let quick = DispatchQueue(label: "OperationFlow")

    package init(name: @autoclosure () -> String) {}

    package func add(_ count: Int, _ lane: @escaping @Sendable () -> Void) { ThreadPool.shared.add(count, lane) }

    /// Adds a starter to a new queue, which has to be retained: a shared queue would check all of its operations each
    /// time.
    func add(_ starter: Operation) -> (any AnyObject & Sendable)? {
      let queue = OperationQueue()
      queue.underlyingQueue = Self.quick
      queue.addOperation(starter)
      return queue
    }

    /// Creates a starter that starts the work on a thread that may be blocked.
    static func starter(_ start: @escaping @Sendable () -> Void) -> BlockOperation {
      BlockOperation { ThreadPool.shared.add(1, start) }
    }

    // All threads have the same priority on this platform.
    static func mustEnqueue(_ operation: Operation) -> Bool { false }
    static func adjust(_ starter: Operation, for operation: Operation) {}
  }
#endif
