@testable import OperationFlow

/// Records when the code of one stressed flow runs, and complains if the code runs after the end.
final class StressProbe: Sendable {
  private struct State: Sendable {
    var running = 0
    var isOver = false
    var finishCount = 0
    var complaints: [String] = []
  }

  private let state = Locked(State())

  /// The violations that were found.
  var complaints: [String] { state.withLock { $0.complaints } }

  /// Records that some of the flow's code begins.
  func enter() {
    state.withLock { state in
      state.running += 1
      if state.isOver { state.complaints.append("runs behind the end") }
    }
  }

  func leave() { state.withLock { $0.running -= 1 } }

  /// Records that the block for the end is called.
  func finish() {
    state.withLock { state in
      state.finishCount += 1
      if state.finishCount > 1 { state.complaints.append("the block for the end is called again") }
    }
  }

  /// Records that there is an outcome: nothing runs now, and nothing may run later.
  func end() {
    state.withLock { state in
      if state.running > 0 { state.complaints.append("\(state.running) run when the outcome is known") }
      state.isOver = true
    }
  }
}
