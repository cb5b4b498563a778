import Foundation
import OperationFlow

/// Does nothing, as an operation of a flow.
final class NothingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { NothingOp() }
  override func mainLogic() { finishSuccessfully() }
}

/// Finishes from another queue, as an operation of a flow.
final class ElsewhereOp: FlowOperation, @unchecked Sendable {
  static let queue = DispatchQueue(label: "elsewhere")

  override func mainLogic() {
    startWithAsynchronous()
    Self.queue.async { self.finishSuccessfully() }
  }
}

/// Reads two inputs and writes an output, as an operation of a flow.
final class PortsOp: FlowOperation, @unchecked Sendable {
  @FlowInput var left: Int
  @FlowInput var right: Int
  @FlowOutput var sum: Int?

  override func mainLogic() {
    sum = left &+ right
    finishSuccessfully()
  }
}

/// Returns from an asynchronous `run()` immediately.
final class AsyncOp: FlowOperation, @unchecked Sendable {
  override func run() async throws {}
}

/// Waits a millisecond without a thread, as an operation of a flow.
final class MillisecondOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { MillisecondOp() }
  override func mainLogic() {
    startWithAsynchronous()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.finishSuccessfully() }
  }
}

/// The minimum that a correct asynchronous `Operation` needs if you write it by hand.
class BareAsyncOperation: Operation, @unchecked Sendable {
  // Invariant: both flags are read and written under `lock` only.
  private let lock = NSLock()
  private var running = false
  private var done = false

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { running } }
  override var isFinished: Bool { lock.withLock { done } }

  override func start() {
    lock.withLock { running = true }
    main()
  }

  func finish() {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    lock.withLock {
      running = false
      done = true
    }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

/// Finishes from another queue, as a bare `Operation`.
final class BareElsewhereOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() { ElsewhereOp.queue.async { self.finish() } }
}

/// Waits a millisecond without a thread, as a bare `Operation`.
final class BareMillisecondOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.finish() }
  }
}

/// Does nothing, as a subclass of a bare `Operation`.
final class BareNothingOperation: Operation, @unchecked Sendable {
  override func main() {}
}

/// Returns from an asynchronous `run()` immediately, as an item of a group.
final class AsyncItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { AsyncItemOp() }
  override func run() async throws {}
}

/// Performs its work in a task, as a bare `Operation`.
final class BareTaskOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() { Task { self.finish() } }
}
