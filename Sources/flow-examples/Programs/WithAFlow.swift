import Foundation
import OperationFlow
import OperationFlowReports

private struct NoConnection: Error {}

enum WithAFlow {
  static func main() async throws {
    let run = Flow("Upload")
      .forEach(
        in: ["a.png", "b.png", "c.png", "d.png", "e.png"], into: "links", width: 4, tolerating: .all, .named("files"),
        .retry(.exponential(attempts: 3, first: .milliseconds(50))), .timeout(.seconds(30))
      ) { file, _ in try await upload(file) }
      .start()
    await TerminalProgress().follow(run)
    print(await run.outcome.report.summary(style: .brief), terminator: "")
  }

  /// Stands for your request.
  private static func upload(_ file: String) async throws -> String {
    try await Task.sleep(for: .milliseconds(10))
    if file == "c.png" { throw NoConnection() }
    return "https://example.org/\(file)"
  }
}
