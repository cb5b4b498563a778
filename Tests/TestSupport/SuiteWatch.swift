import Foundation

/// Records which tests are running, and ends the process if none of them ends for a long time.
///
/// It is the only time limit of the tests: a test waits as long as it has to, however busy the machine is. The limit is
/// 600 seconds, or the value of `OPERATIONFLOW_HANG_LIMIT`.
package final class SuiteWatch: @unchecked Sendable {
  package static let shared = SuiteWatch(
    limit: ProcessInfo.processInfo.environment["OPERATIONFLOW_HANG_LIMIT"].flatMap { Int($0) } ?? 600)

  // Invariant: these are used only under `lock`.
  private let lock = NSLock()
  private var running: [Int: String] = [:]
  private var nextID = 0
  private var idleTicks = 0

  private let limit: Int
  private let tick: TimeInterval

  /// Starts a thread that checks the tests.
  ///
  /// The thread counts ticks and reads no clock, so that time in which the whole process gets no processor doesn't
  /// count.
  ///
  /// - Parameters:
  ///   - limit: The number of ticks without progress after which the process ends.
  ///   - tick: The seconds between two checks.
  package init(limit: Int, tick: TimeInterval = 1) {
    self.limit = limit
    self.tick = tick
    // A plain thread, which runs even if tests block every thread of the pools.
    Thread.detachNewThread { [self] in
      while !isStuck() { Thread.sleep(forTimeInterval: tick) }
      report()
      ChildProcesses.end()
      // `exit` would wait for locks that a test may hold.
      _exit(EXIT_FAILURE)
    }
  }

  /// Registers the start of a test or a part of one.
  ///
  /// Pass the result to `end(_:)`.
  package func begin(_ name: String) -> Int {
    lock.withLock {
      nextID += 1
      running[nextID] = name
      idleTicks = 0
      return nextID
    }
  }

  /// Registers the end of a test or a part of one.
  package func end(_ id: Int) {
    lock.withLock {
      running[id] = nil
      idleTicks = 0
    }
  }

  /// Runs `body`, and names it if it hangs.
  package func watch(
    _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows {
    let id = begin(name)
    defer { end(id) }
    try await body()
  }

  private func isStuck() -> Bool {
    lock.withLock {
      idleTicks += running.isEmpty ? 0 : 1
      return idleTicks > limit
    }
  }

  private func report() {
    let names = lock.withLock { running.sorted { $0.key < $1.key }.map { "- \($0.value)\n" } }
    let text = """
      No test has ended for \(Int(Double(limit) * tick)) seconds. Still running:
      \(names.joined())To wait longer, set OPERATIONFLOW_HANG_LIMIT to a larger number of seconds.

      """
    FileHandle.standardError.write(Data(text.utf8))
  }
}
