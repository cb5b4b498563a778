import Dispatch
import Foundation

@testable import OperationFlow

/// An error to fail with.
struct TestError: Error, Equatable, CustomStringConvertible {
  var name = "test"
  var description: String { "TestError(\(name))" }
}

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

/// A list that any thread appends to.
final class Journal<Entry: Sendable>: Sendable {
  private let state = Locked([Entry]())
  var entries: [Entry] { state.withLock { $0 } }
  func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Something that happens once and is waited for.
final class Signal: Sendable {
  private let state = Locked((isOn: false, waiters: [CheckedContinuation<Void, Never>]()))

  var isOn: Bool { state.withLock { $0.isOn } }

  func fire() {
    let waiters = state.withLock { state in
      state.isOn = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOn = state.withLock { state in
        if !state.isOn { state.waiters.append(continuation) }
        return state.isOn
      }
      if isOn { continuation.resume() }
    }
  }
}

extension FlowReport {
  /// The summary's lines without their times.
  var lines: [String] {
    events.map { "\($0.source) \($0.kind.summaryText)" }
  }
}
