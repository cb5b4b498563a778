import Foundation

/// Stands in for `print`, and keeps what the documents' code prints.
final class Printer: @unchecked Sendable {
  // Invariant: `kept` is read and written only while `lock` is held.
  private let lock = NSLock()
  private var kept: [String] = []
  private let stream = AsyncStream.makeStream(of: String.self)

  /// What has been printed so far.
  var texts: [String] { lock.withLock { kept } }

  func callAsFunction(_ items: Any...) {
    let text = items.map { "\($0)" }.joined(separator: " ")
    lock.withLock { kept.append(text) }
    stream.continuation.yield(text)
  }

  /// The first text that is printed, waited for.
  func first() async -> String? {
    for await text in stream.stream { return text }
    return nil
  }
}

/// Something that happens once and is waited for.
struct Signal: Sendable {
  private let stream = AsyncStream.makeStream(of: Void.self)

  func fire() { stream.continuation.finish() }

  func wait() async {
    for await _ in stream.stream {}
  }
}

extension String {
  /// A summary without its times, which are different in each run.
  var withoutTimes: String {
    replacing(#/^\d+:\d\d:\d\d [AP]M /#.anchorsMatchLineEndings(), with: "")
  }
}
