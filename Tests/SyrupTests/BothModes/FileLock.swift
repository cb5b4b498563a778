import Syrup

/// Locks a file, and unlocks it when the progression runs again.
///
/// The result is the progression itself.
struct FileLock: Progression {
  let fileURL: URL
  private var isLocking: Bool
  private var isDone: Bool

  init(fileURL: URL) {
    self.fileURL = fileURL
    isLocking = true
    isDone = false
  }

  enum ErrorKind: Error {
    case missing(fileURL: URL)
  }

  mutating func updateOrDeferNext() throws -> Deferred<FileLock>? {
    if isLocking {
      if !FileManager.default.fileExists(atPath: fileURL.path) {
        throw ErrorKind.missing(fileURL: fileURL)
      }
      LockLog.shared.add("lock")
    } else {
      LockLog.shared.add("unlock")
    }
    isDone = true
    // The value was changed in place, so there is nothing to defer.
    return nil
  }

  typealias Result = FileLock
  var result: FileLock? {
    guard isDone else { return nil }
    var copy = self
    if isLocking {
      copy.isLocking = false
      copy.isDone = false
    }
    return copy
  }
}

final class LockLog: @unchecked Sendable {
  static let shared = LockLog()
  private let queue = DispatchQueue(label: "log")
  private var lines: [String] = []

  func add(_ line: String) { queue.sync { lines.append(line) } }
  var all: [String] { queue.sync { lines } }
}
