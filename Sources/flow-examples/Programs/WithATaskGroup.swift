import Foundation

private struct NoConnection: Error {}
private struct TimedOut: Error {}

enum WithATaskGroup {
  static func main() async throws {
    let files = ["a.png", "b.png", "c.png", "d.png", "e.png"]
    let results = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
      var results = [Result<String, any Error>?](repeating: nil, count: files.count)
      var waiting = files.indices.makeIterator()
      func startNext() {
        guard let i = waiting.next() else { return }
        group.addTask {
          do { return (i, .success(try await upload(files[i], attempts: 3))) } catch { return (i, .failure(error)) }
        }
      }
      for _ in 0..<4 { startNext() }
      for await (index, result) in group {
        results[index] = result
        print("\(results.count { $0 != nil }) of \(files.count)")
        startNext()
      }
      return results
    }
    for (file, result) in zip(files, results) { if case .failure(let error)? = result { print(file, error) } }
  }

  /// Tries an upload again, after longer and longer delays.
  private static func upload(_ file: String, attempts: Int) async throws -> String {
    var delay = 0.05
    for _ in 1..<attempts {
      do { return try await upload(file, within: .seconds(30)) } catch {
        try await Task.sleep(for: .seconds(delay * .random(in: 0.8...1)))
        delay *= 2
      }
    }
    return try await upload(file, within: .seconds(30))
  }

  /// Cancels an upload that is too slow.
  private static func upload(_ file: String, within limit: Duration) async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in
      group.addTask { try await upload(file) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw TimedOut()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? ""
    }
  }

  /// Stands for your request.
  private static func upload(_ file: String) async throws -> String {
    try await Task.sleep(for: .milliseconds(10))
    if file == "c.png" { throw NoConnection() }
    return "https://example.org/\(file)"
  }
}
