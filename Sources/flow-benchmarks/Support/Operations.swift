import Foundation
import OperationFlow

/// An operation of a flow that does nothing.
final class NothingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { NothingOp() }
  override func mainLogic() { finishSuccessfully() }
}

/// An operation of a flow that finishes from another queue.
final class ElsewhereOp: FlowOperation, @unchecked Sendable {
  static let queue = DispatchQueue(label: "elsewhere")

  override func mainLogic() {
    startWithAsynchronous()
    Self.queue.async { self.finishSuccessfully() }
  }
}

/// An operation of a flow that reads two inputs and writes an output.
final class PortsOp: FlowOperation, @unchecked Sendable {
  @FlowInput var left: Int
  @FlowInput var right: Int
  @FlowOutput var sum: Int?

  override func mainLogic() {
    sum = left &+ right
    finishSuccessfully()
  }
}

/// An operation of a flow whose asynchronous `run()` returns immediately.
final class AsyncOp: FlowOperation, @unchecked Sendable {
  override func run() async throws {}
}

/// An operation of a flow that waits a millisecond without a thread.
final class MillisecondOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { MillisecondOp() }
  override func mainLogic() {
    startWithAsynchronous()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.finishSuccessfully() }
  }
}

/// The minimum of a correct asynchronous `Operation` that is written by hand.
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

/// A bare `Operation` that finishes from another queue.
final class BareElsewhereOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() { ElsewhereOp.queue.async { self.finish() } }
}

/// A bare `Operation` that waits a millisecond without a thread.
final class BareMillisecondOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { self.finish() }
  }
}

/// A bare `Operation` that does nothing.
final class BareNothingOperation: Operation, @unchecked Sendable {
  override func main() {}
}

/// An item's operation whose asynchronous `run()` returns immediately.
final class AsyncItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { AsyncItemOp() }
  override func run() async throws {}
}

/// A bare `Operation` that performs its work in a task.
final class BareTaskOperation: BareAsyncOperation, @unchecked Sendable {
  override func main() { Task { self.finish() } }
}
