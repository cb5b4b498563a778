@testable import OperationFlow

/// Watches the code of one stressed flow: when it runs, and when it may not.
final class StressProbe: Sendable {
  private struct State: Sendable {
    var running = 0
    var isOver = false
    var finishCount = 0
    var complaints: [String] = []
  }

  private let state = Locked(State())

  /// What has been done that may not be.
  var complaints: [String] { state.withLock { $0.complaints } }

  /// Some of the flow's code begins.
  func enter() {
    state.withLock { state in
      state.running += 1
      if state.isOver { state.complaints.append("runs behind the end") }
    }
  }

  func leave() { state.withLock { $0.running -= 1 } }

  /// The block for the end is called.
  func finish() {
    state.withLock { state in
      state.finishCount += 1
      if state.finishCount > 1 { state.complaints.append("the block for the end is called again") }
    }
  }

  /// The outcome is known: nothing runs, and nothing will.
  func end() {
    state.withLock { state in
      if state.running > 0 { state.complaints.append("\(state.running) run when the outcome is known") }
      state.isOver = true
    }
  }
}
