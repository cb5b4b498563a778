import Foundation

/// This program as another process, whose standard input ends when this one does, however that happens.
final class ChildProcess: @unchecked Sendable {
  // Invariant of the unchecked conformance: `process` is made in `init` and thread-safe, as is `lifeline`; the rest is used
  // under `lock`.
  private let process = Process()
  private let lifeline = Pipe()
  private let lock = NSLock()
  private var hasEnded = false
  private var callbacks: [@Sendable () -> Void] = []

  init(_ arguments: [String]) {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = lifeline
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

  /// In such a process: calls back when the one that started it has ended.
  static func whenParentEnds(_ body: @escaping @Sendable () -> Void) {
    FileHandle.standardInput.readabilityHandler = { handle in
      guard handle.availableData.isEmpty else { return }
      handle.readabilityHandler = nil
      body()
    }
  }
}
