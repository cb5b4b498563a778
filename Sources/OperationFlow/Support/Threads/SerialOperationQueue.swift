#if !canImport(Darwin)
  import Foundation

  /// An operation queue on a serial dispatch queue of its own, which is given a thread at once.
  ///
  /// Libdispatch lets other queues wait for its pool, which adds a thread in a second to those that are blocked.
  final class SerialOperationQueue: @unchecked Sendable {
    // Invariant: neither is changed. Foundation does not retain the dispatch queue, so both are held together.
    private let queue = OperationQueue()
    private let serial: DispatchQueue

    /// Makes one with a dispatch queue of its own, or with that of another one.
    init(sharedWith other: SerialOperationQueue? = nil) {
      serial = other?.serial ?? DispatchQueue(label: "OperationFlow")
      queue.name = "OperationFlow"
      queue.underlyingQueue = serial
    }

    func add(_ block: @escaping @Sendable () -> Void) { queue.addOperation(block) }

    func add(_ operation: Operation) { queue.addOperation(operation) }

    /// Adds a block after a millisecond, and holds no thread meanwhile.
    func addLater(_ block: @escaping @Sendable () -> Void) {
      serial.asyncAfter(deadline: .now() + .milliseconds(1), execute: block)
    }
  }
#endif
