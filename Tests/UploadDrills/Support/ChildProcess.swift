import Foundation

/// This program as another process, which ends with this one, however this one ends.
package final class ChildProcess: @unchecked Sendable {
  // Invariant of the unchecked conformance: `process` is made in `init` and thread-safe, the rest is used under `lock`.
  private static let mark = "FLOW_EXAMPLES_ENDS_WITH_ITS_INPUT"
  private let process = Process()
  /// Its input, to which nothing is written: the system closes it when this process ends.
  private let lifeline = Pipe()
  private let lock = NSLock()
  private var hasEnded = false
  private var callbacks: [@Sendable () -> Void] = []

  init(_ arguments: [String]) {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = lifeline
    process.environment = ProcessInfo.processInfo.environment.merging([Self.mark: "1"]) { $1 }
  }

  /// Ends this process with the one that has started it, if that was done here.
  package static func endWithParent() {
    guard ProcessInfo.processInfo.environment[mark] != nil else { return }
    Thread.detachNewThread {
      _ = try? FileHandle.standardInput.readToEnd()
      exit(1)
    }
  }

  var isRunning: Bool { lock.withLock { !hasEnded } }

  func start() throws {
    process.terminationHandler = { _ in
      let callbacks = self.lock.withLock {
        self.hasEnded = true
        defer { self.callbacks = [] }
        return self.callbacks
      }
      for callback in callbacks { callback() }
    }
    try process.run()
  }

  func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isNow = lock.withLock {
      if !hasEnded { callbacks.append(body) }
      return hasEnded
    }
    if isNow { body() }
  }

  /// Ends it immediately; it can't do anything about that.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Asks it to end.
  func stop() { Foundation.kill(process.processIdentifier, SIGTERM) }

  /// Waits for its end, and returns its exit code.
  @discardableResult
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in whenEnded { continuation.resume() } }
    return process.terminationStatus
  }
}
