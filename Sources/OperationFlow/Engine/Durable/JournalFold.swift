import Foundation

/// Makes a journal shorter: values that were overwritten go, and work that has simply succeeded becomes ranges.
enum JournalFold {
  /// Returns entries from which a run resumes as from the given ones; `keepsOrder` tells whether the order in which the
  /// items of a group have ended matters later.
  static func folded(_ entries: [Data], keepsOrder: (Blueprint.StepID) -> Bool) throws -> [Data] {
    var decoded: [JournalEntry] = []
    for entry in entries { decoded.append(try JournalEntry(entry)) }
    return merged(withoutOldValues(decoded), keepsOrder).map(\.data)
  }

  /// A value goes if a later one replaces it, unless a group has looked for its items in between.
  private static func withoutOldValues(_ entries: [JournalEntry]) -> [JournalEntry] {
    var later: [String: Int] = [:]
    var kept: [JournalEntry] = []
    for entry in entries.reversed() {
      guard case .settled(var settlement) = entry else {
        kept.append(entry)
        continue
      }
      if case .plan = settlement.work.work { later = [:] }
      settlement.writes = settlement.writes.filter { write in
        if let number = later[write.name], number > write.number { return false }
        later[write.name] = write.number
        return true
      }
      kept.append(.settled(settlement))
    }
    return kept.reversed()
  }

  private static func merged(_ entries: [JournalEntry], _ keepsOrder: (Blueprint.StepID) -> Bool) -> [JournalEntry] {
    var result: [JournalEntry] = []
    var plain: [(work: RunWork, output: StoredOutput?)] = []
    func flush() {
      if plain.isEmpty { return }
      let maySort = plain.allSatisfy { $0.work.item != nil && $0.work.step.map(keepsOrder) == false }
      if maySort { plain.sort { ($0.work.step ?? 0, $0.work.item ?? 0) < ($1.work.step ?? 0, $1.work.item ?? 0) } }
      var runs: [JournalRun] = []
      for (work, output) in plain {
        if let last = runs.indices.last, runs[last].work(at: runs[last].count) == work,
          (runs[last].outputs == nil) == (output == nil)
        {
          runs[last].count += 1
          if let output { runs[last].outputs?.append(output) }
        } else {
          runs.append(JournalRun(first: work, count: 1, outputs: output.map { [$0] }))
        }
      }
      result.append(.runs(runs))
      plain = []
    }
    for entry in entries {
      switch entry {
      case .settled(let settlement) where settlement.isPlain:
        plain.append((settlement.work.work, settlement.output))
      case .runs(let runs):
        for run in runs {
          for place in 0..<run.count { plain.append((run.work(at: place), run.outputs?[place])) }
        }
      case .begun, .settled, .decided, .ended:
        flush()
        result.append(entry)
      }
    }
    flush()
    return result
  }
}

extension JournalSettlement {
  /// Whether a step or an item has succeeded at once, and has left nothing but perhaps an output.
  fileprivate var isPlain: Bool {
    guard case .succeeded = result, work.work.isAttempt, !work.isHanding else { return false }
    return attempt == 1 && name == nil && writes.isEmpty && claimed == nil
  }
}
