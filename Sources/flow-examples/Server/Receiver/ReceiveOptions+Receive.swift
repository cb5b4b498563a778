import Foundation
import Uploader

extension ReceiveOptions {
  /// Stores uploads, and prints on standard output, a line each, where it listens and what arrives.
  ///
  /// It continues until a signal ends the process.
  ///
  /// - Returns: The exit code 1 if it can't listen.
  package func receive() async -> Int32 {
    let counter = FileCounter()
    let answeredCount = answeredCount ?? .max
    let receiver = HTTPReceiver(storingIn: folder) { request in
      guard request.method == "PUT", let name = request.fileName else { return nil }
      let number = counter.next()
      if number <= failedCount {
        Self.say("fails \(name)")
        var answer = HTTPResponse.text("This is what was asked for with --status.", status: status)
        answer.headers["Retry-After"] = retryAfter
        return answer
      }
      if number <= answeredCount {
        Self.say("takes \(name)")
      } else {
        Self.say("holds \(name)")
        // This thread serves only this connection, and ends with the process.
        while true { Thread.sleep(until: .distantFuture) }
      }
      return nil
    }
    do {
      try receiver.start()
      Self.say("listening on \(try receiver.url)")
    } catch {
      Console.report("flow-examples: \(error)")
      return 1
    }
    let (forever, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    return withExtendedLifetime((receiver, continuation)) { 0 }
  }

  /// Prints a line immediately, for programs that read it through a pipe.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}

/// Counts files, from any thread.
private final class FileCounter: @unchecked Sendable {
  // Invariant of the unchecked conformance: `count` is used under `lock` only.
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
