import Foundation
import OperationFlow
import OperationFlowStorage

/// Checkpoints, which shorten a journal that has grown.
extension RunJournal {
  /// Returns the size of entries in a file in bytes, which is about their size elsewhere.
  static func size(of entries: [Data]) -> Int { entries.reduce(0) { $0 + size(of: $1) } }

  static func size(of entry: Data) -> Int { JournalFormat.recordLength + entry.count }

  /// Shortens the journal if it has grown enough since the last checkpoint.
  func compactIfNeeded() {
    let isDue = state.withLock { state in
      guard !state.isOver, !state.isEnding, !state.isReplacing, state.size > max(1 << 20, 4 * state.checkpointSize)
      else { return false }
      state.isReplacing = true
      return true
    }
    guard isDue else { return }
    clock?.hold(true)
    Task {
      defer { clock?.hold(false) }
      do { try await compact() } catch {
        // The old entries are still there.
        warn("its journal could not be made shorter", error)
      }
      let waiters = state.withLock { state in
        state.isReplacing = false
        state.checkpointSize = state.size
        return state.takeIdleWaiters()
      }
      for waiter in waiters { waiter() }
    }
  }

  /// Replaces the current entries by fewer; more entries may be appended meanwhile.
  private func compact() async throws {
    let (count, size, folded) = try await FileWork.perform { [self] in
      let entries = try store.readJournal(of: id) ?? []
      let folded = try JournalCompaction.folded(entries, ratePeriod: ratePeriod, keepsOrder: keepsOrder)
      return (entries.count, Self.size(of: entries), folded)
    }
    guard folded.count < count else { return }
    try await journal.replaceEntries(first: count, with: folded)
    state.withLock { $0.size += Self.size(of: folded) - size }
  }
}
