import Foundation
import OperationFlow
import OperationFlowStorage

extension FileFlowJournal {
  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      do {
        try begin { state, _ in
          guard (0...state.offsets.count).contains(count) else {
            throw FlowError.invalidReplacement(id, count, of: state.offsets.count)
          }
        }
      } catch {
        continuation.resume(throwing: error)
        return
      }
      queue.async {
        let result = Result { try self.replace(first: count, with: entries) }
        self.endCalls(1)
        continuation.resume(with: result)
      }
    }
  }

  /// Writes a new file, and gives it the journal's name when all of it is on the disk.
  ///
  /// It is called on the queue, or before anyone else has the journal. So nothing is synchronized at the same time. All
  /// bytes that are reported to be on the disk were written to the old file before this call. They are on the disk in
  /// the new file before it gets the name.
  func replace(first count: Int, with entries: [Data]) throws {
    if let large = entries.first(where: { $0.count > JournalFormat.largestEntry }) {
      throw FlowError.tooLargeEntry(id, large.count)
    }
    do {
      var new = try NewJournalFile(id: id, entries: entries, path: newPath, disk: disk)
      var source = try state.withLock { state in
        RecordSource(
          file: try check(state), salt: state.salt, path: path, start: state.offsets.start(of: count), end: state.end)
      }
      try new.copy(from: &source)
      try new.synchronize()
      try turn.withLock { _ in
        // Copies the entries that were appended in the meantime. No more can follow, because this thread has the turn.
        source.end = state.withLock { $0.end }
        try new.copy(from: &source)
        guard source.file.isLinked else { throw fail(FlowError.removedJournal(id, path)) }
        try disk.rename(newPath, to: path)
        state.withLock { state in
          state.file = new.file
          state.salt = new.salt
          state.offsets = new.offsets
          state.end = new.end
          state.synced = new.synced
        }
      }
    } catch {
      // A file that can't be removed now is removed when the journal is opened next.
      try? disk.remove(newPath)
      throw FlowError.journalFailed(id, error)
    }
    do { try disk.synchronizeFolder(folder) } catch { throw fail(error) }
  }
}
