import Foundation
import OperationFlow
import OperationFlowDurable

/// A simple model of a journal's possible contents.
///
/// Each candidate is a list of which the contents may be a beginning, and the number of entries that must be there.
struct JournalModel: CustomStringConvertible {
  struct Candidate {
    var entries: [Data]
    /// The number of entries that survive a power failure.
    var synced: Int
    /// The number of entries that survive the end of the process.
    var written: Int
  }

  private(set) var candidates: [Candidate] = [Candidate(entries: [], synced: 0, written: 0)]

  var description: String {
    candidates.map { "\($0.entries.count), \($0.written) written, \($0.synced) synced" }.joined(separator: "; ")
  }

  /// The number of entries in the journal, if its last operations succeeded.
  var count: Int { candidates[0].written }
  var entries: [Data] { Array(candidates[0].entries[..<count]) }

  /// Appends an entry.
  ///
  /// The entry may be in the journal before `body` returns.
  mutating func append(_ entry: Data, _ body: () throws -> Void) rethrows {
    let before = candidates
    for index in candidates.indices { candidates[index].entries = candidates[index].entries[..<count] + [entry] }
    do {
      try body()
      for index in candidates.indices { candidates[index].written += 1 }
    } catch {
      // The entry is not there, unless the process ended meanwhile.
      candidates += before
      throw error
    }
  }

  mutating func synchronize(_ body: () async throws -> Void) async rethrows {
    try await body()
    for index in candidates.indices { candidates[index].synced = candidates[index].written }
  }

  mutating func replace(first count: Int, with entries: [Data], _ body: () async throws -> Void) async rethrows {
    let all = entries + self.entries.dropFirst(count)
    // If any of the new entries is on the disk, so are the earlier ones.
    let new = Candidate(entries: all, synced: all.count, written: all.count)
    do {
      try await body()
      candidates = [new]
    } catch {
      candidates.append(new)
      throw error
    }
  }

  /// Returns true if the next process may find these entries.
  func allows(_ found: [Data], afterPowerFailure isPowerFailure: Bool) -> Bool {
    candidates.contains { candidate in
      let needed = isPowerFailure ? candidate.synced : candidate.written
      return found.count >= needed && found.count <= candidate.entries.count
        && found == Array(candidate.entries[..<found.count])
    }
  }

  /// Continues with the entries that were found.
  ///
  /// They are synchronized only as far as the candidates guarantee.
  mutating func found(_ entries: [Data], afterPowerFailure isPowerFailure: Bool) {
    let kept = candidates.filter { candidate in
      let needed = isPowerFailure ? candidate.synced : candidate.written
      return candidate.entries.starts(with: entries) && entries.count >= needed
    }
    let synced = isPowerFailure ? entries.count : kept.map(\.synced).min() ?? 0
    candidates = [Candidate(entries: entries, synced: min(synced, entries.count), written: entries.count)]
  }
}
