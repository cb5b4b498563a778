import Foundation

/// Another process of this program, which ends with this one, however this one ends.
final class ChildProcess: @unchecked Sendable {
  // Invariant of the unchecked conformance: `process` is made in `init` and thread-safe, the rest is used under `lock`.
  private static let mark = "FLOW_EXAMPLES_ENDS_WITH_ITS_INPUT"
  private let process = Process()
  /// The child's input, to which nothing is written: the system closes it when this process ends.
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

  /// Lets this process end with the one that started it, if that was a `ChildProcess`.
  static func endWithParent() {
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

  /// Ends the child immediately, without giving it a chance to react.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Asks the child to end.
  func stop() { Foundation.kill(process.processIdentifier, SIGTERM) }

  /// Waits for the child's end, and returns its exit code.
  @discardableResult
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in whenEnded { continuation.resume() } }
    return process.terminationStatus
  }
}
