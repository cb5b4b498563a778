import Foundation
import OperationFlow
import OperationFlowDurable

/// What a journal may hold, kept plainly: the lists that it may be a beginning of, and how much of each it must have.
struct JournalModel: CustomStringConvertible {
  struct Candidate {
    var entries: [Data]
    /// How many of them survive a power failure.
    var synced: Int
    /// How many of them survive the end of the process.
    var written: Int
  }

  private(set) var candidates: [Candidate] = [Candidate(entries: [], synced: 0, written: 0)]

  var description: String {
    candidates.map { "\($0.entries.count), \($0.written) written, \($0.synced) synced" }.joined(separator: "; ")
  }

  /// How many entries the journal has, if its last operations have worked.
  var count: Int { candidates[0].written }
  var entries: [Data] { Array(candidates[0].entries[..<count]) }

  /// An entry is appended; it may be there before that is known to have worked.
  mutating func append(_ entry: Data, _ body: () throws -> Void) rethrows {
    let before = candidates
    for index in candidates.indices { candidates[index].entries = candidates[index].entries[..<count] + [entry] }
    do {
      try body()
      for index in candidates.indices { candidates[index].written += 1 }
    } catch {
      // It is not there, but if the process has ended meanwhile, it may be.
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
    // What was written before is on the disk if anything of the new entries is there.
    let new = Candidate(entries: all, synced: all.count, written: all.count)
    do {
      try await body()
      candidates = [new]
    } catch {
      candidates.append(new)
      throw error
    }
  }

  /// Whether these entries may be found by the next process.
  func allows(_ found: [Data], afterPowerFailure isPowerFailure: Bool) -> Bool {
    candidates.contains { candidate in
      let needed = isPowerFailure ? candidate.synced : candidate.written
      return found.count >= needed && found.count <= candidate.entries.count
        && found == Array(candidate.entries[..<found.count])
    }
  }

  /// These entries were found, and all that is known of them is that they are on the disk as far as others were.
  mutating func found(_ entries: [Data], afterPowerFailure isPowerFailure: Bool) {
    let kept = candidates.filter { candidate in
      let needed = isPowerFailure ? candidate.synced : candidate.written
      return candidate.entries.starts(with: entries) && entries.count >= needed
    }
    let synced = isPowerFailure ? entries.count : kept.map(\.synced).min() ?? 0
    candidates = [Candidate(entries: entries, synced: min(synced, entries.count), written: entries.count)]
  }
}
