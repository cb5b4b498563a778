import Foundation

/// A process that runs one example, with an empty folder for temporary files, and ends with this process.
enum ExampleProcess {
  private static let mark = "FLOW_EXAMPLES_ENDS_WITH_ITS_INPUT"

  /// Runs an example, and starts it again if it was killed, as one of them kills itself.
  ///
  /// - Returns: The exit code, or the signal that has ended the process.
  static func exitCode(of name: String) async throws -> Int32 {
    let folder = FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let end = try await end(of: name, in: folder)
    return end == SIGKILL ? try await Self.end(of: name, in: folder) : end
  }

  /// Lets this process end with the one that has started it, if that was `exitCode(of:)`.
  static func endWithParent() {
    guard ProcessInfo.processInfo.environment[mark] != nil else { return }
    Thread.detachNewThread {
      _ = try? FileHandle.standardInput.readToEnd()
      exit(1)
    }
  }

  private static func end(of name: String, in folder: URL) async throws -> Int32 {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [name, "--report", Options.reports.path]
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path, mark: "1"]) { $1 }
    // Nothing is written to it; the system closes it when this process ends.
    let lifeline = Pipe()
    process.standardInput = lifeline
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        withExtendedLifetime(lifeline) { continuation.resume(returning: process.terminationStatus) }
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }
}
