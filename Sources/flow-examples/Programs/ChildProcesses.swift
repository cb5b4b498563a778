import Foundation
import OperationFlow

private struct CommandFailed: Error { let status: Int32 }

enum ChildProcesses {
  static func main() async throws {
    let pack = Flow("Pack")
      .add("sort") { _ in try await command("sort", "/dev/null") }
      .add("compress", .timeout(.milliseconds(300))) { _ in try await command("sh", "-c", "sleep 60 & sleep 60") }
    let outcome = await pack.run()
    print(outcome.report.summary(style: .brief), terminator: "")
  }

  /// Runs a command, and returns when it has ended.
  private static func command(_ arguments: String...) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    @Sendable func end() { if process.isRunning { kill(-process.processIdentifier, SIGKILL) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { process in
          let status = process.terminationStatus
          continuation.resume(with: status == 0 ? .success(()) : .failure(CommandFailed(status: status)))
        }
        do { try process.run() } catch { continuation.resume(throwing: error) }
        if Task.isCancelled { end() }
      }
    } onCancel: {
      end()
    }
  }
}
