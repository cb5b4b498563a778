import Foundation
import OperationFlow

/// A tally of an upload's files; it is made from the events as they arrive, because a record may omit some of them.
final class UploadTally: @unchecked Sendable {
  // Invariant of the unchecked conformance: `ends` is used under `lock` only.
  private let lock = NSLock()
  /// The end of each file's upload, by index; `cutOff` until the upload has ended.
  private var ends: [Int: End] = [:]

  private enum End {
    case stored, failed, cutOff
  }

  func add(_ event: FlowEvent) {
    guard let index = event.source.item else { return }
    let end: End
    switch event.kind {
    case .started, .finished(.cancelled): end = .cutOff
    // The file waits for its next attempt.
    case .finished where event.isRetried: end = .cutOff
    case .finished(.successfully): end = .stored
    case .finished: end = .failed
    default: return
    }
    lock.withLock { ends[index] = end }
  }

  /// Returns a line each for the files that were uploaded, and for those that were not, by the reason.
  func lines(for files: [FileName]) -> [String] {
    let ends = lock.withLock { self.ends }
    func line(_ title: String, _ end: End?) -> String? {
      let names = files.indices.filter { ends[$0] == end }.map { files[$0] }
      return names.isEmpty ? nil : "\(title): \(names.listed)"
    }
    return [
      line("uploaded", .stored), line("not uploaded, as they failed", .failed),
      line("not uploaded, as they were cut off", .cutOff), line("not uploaded, as they were not begun", nil),
    ]
    .compactMap(\.self)
  }
}
