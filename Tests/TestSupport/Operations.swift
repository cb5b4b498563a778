import Dispatch
import Foundation
import OperationFlow

/// Runs a closure as its main logic, which has to finish the operation.
package final class BlockOp: FlowOperation, @unchecked Sendable {
  private let body: @Sendable (BlockOp) -> Void

  package init(_ name: String? = nil, _ body: @escaping @Sendable (BlockOp) -> Void = { $0.finishSuccessfully() }) {
    self.body = body
    super.init()
    self.name = name
  }

  package override func mainLogic() { body(self) }
}

/// Succeeds immediately, inside its main logic.
package final class SuccessOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  package static func create() -> FlowOperation { SuccessOp() }
  package override func mainLogic() { finishSuccessfully() }
}

/// Succeeds later, from another queue.
package final class LaterOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  package static func create() -> FlowOperation { LaterOp() }
  package override func mainLogic() {
    startWithAsynchronous()
    DispatchQueue.global().async { self.finishSuccessfully() }
  }
}

/// Counts calls of `enter` and `leave`, from any thread.
package final class Counter: Sendable {
  private let state = Locked((now: 0, peak: 0, total: 0))

  package init() {}

  package var now: Int { state.withLock { $0.now } }
  package var peak: Int { state.withLock { $0.peak } }
  package var total: Int { state.withLock { $0.total } }

  package func enter() {
    state.withLock {
      $0.now += 1
      $0.total += 1
      $0.peak = max($0.peak, $0.now)
    }
  }

  package func leave() { state.withLock { $0.now -= 1 } }
}

extension FlowReport {
  /// The summary's lines without their times.
  package var lines: [String] {
    let record = self.record
    return record.events.map { "\($0.source) \($0.summaryText(record))" }
  }
}
