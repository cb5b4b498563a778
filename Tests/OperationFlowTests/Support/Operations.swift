import Dispatch
import Foundation

@testable import OperationFlow

/// Runs a closure as its main logic, which does the finishing.
final class BlockOp: FlowOperation, @unchecked Sendable {
  private let body: @Sendable (BlockOp) -> Void

  init(_ name: String? = nil, _ body: @escaping @Sendable (BlockOp) -> Void = { $0.finishSuccessfully() }) {
    self.body = body
    super.init()
    self.name = name
  }

  override func mainLogic() { body(self) }
}

/// Succeeds at once, inside its main logic.
final class SuccessOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { SuccessOp() }
  override func mainLogic() { finishSuccessfully() }
}

/// Succeeds later, from another queue.
final class LaterOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { LaterOp() }
  override func mainLogic() {
    startWithAsynchronous()
    DispatchQueue.global().async { self.finishSuccessfully() }
  }
}

/// Counts up from any thread.
final class Counter: Sendable {
  private let state = Locked((now: 0, peak: 0, total: 0))

  var now: Int { state.withLock { $0.now } }
  var peak: Int { state.withLock { $0.peak } }
  var total: Int { state.withLock { $0.total } }

  func enter() {
    state.withLock {
      $0.now += 1
      $0.total += 1
      $0.peak = max($0.peak, $0.now)
    }
  }

  func leave() { state.withLock { $0.now -= 1 } }
}

extension FlowReport {
  /// The summary's lines without their times.
  var lines: [String] {
    let record = record
    return record.events.map { "\($0.source) \($0.summaryText(record))" }
  }
}
