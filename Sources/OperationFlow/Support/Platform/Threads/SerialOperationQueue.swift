#if !canImport(Darwin)
  import Foundation

  /// An operation queue on its own serial dispatch queue, which gets a thread immediately.
  ///
  /// Other queues wait for libdispatch's pool, which adds one thread a second to those that are blocked.
  final class SerialOperationQueue: @unchecked Sendable {
    // Invariant: neither one changes. Foundation doesn't retain the dispatch queue, so both are held together.
    private let queue = OperationQueue()
    private let serial: DispatchQueue

    /// Creates a queue with its own dispatch queue, or with the one of another queue.
    init(sharedWith other: SerialOperationQueue? = nil) {
      serial = other?.serial ?? DispatchQueue(label: "OperationFlow")
      queue.name = "OperationFlow"
      queue.underlyingQueue = serial
    }

    func add(_ operation: Operation) { queue.addOperation(operation) }
  }
#endif
