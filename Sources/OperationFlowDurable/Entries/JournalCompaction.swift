import Foundation
import OperationFlow
import OperationFlowStorage

/// Shortens a journal: removes overwritten values, and joins work that simply succeeded to ranges.
enum JournalCompaction {
  /// Returns entries from which a run resumes as from the given ones.
  ///
  /// `keepsOrder` returns true if the order in which a group's items ended matters later. `ratePeriod` returns for how
  /// long the date of a step's work matters.
  static func folded(
    _ entries: [Data], ratePeriod: (Int) -> Duration? = { _ in nil },
    keepsOrder: (Int) -> Bool
  ) throws -> [Data] {
    var decoded: [JournalEntry] = []
    for entry in entries { decoded.append(try JournalEntry(entry)) }
    // The last date isn't always the latest one, because the system's clock may have been set back.
    let newest = decoded.lazy.reversed().compactMap(\.settlement?.date).first ?? .distantPast
    let needsTime = { (settlement: JournalSettlement) in
      guard let period = settlement.work.step.flatMap(ratePeriod) else { return false }
      return newest.timeIntervalSince(settlement.date) < period / .seconds(1)
    }
    var folded = merged(withoutOldBegins(withoutOldValues(decoded)), keepsOrder, needsTime)
    guard let last = folded.popLast() else { return [] }
    return folded.map(\.data) + [last.data(for: nil, try totals(decoded, endingIn: last))]
  }

  /// Returns the totals for the end of the last entry.
  ///
  /// The other entries need none.
  private static func totals(_ entries: [JournalEntry], endingIn last: JournalEntry) throws -> JournalTotals? {
    guard case .begun(let beginning)? = entries.first, beginning.head.isCounted else { return nil }
    switch last {
    case .begun, .ended: return nil
    case .settled, .runs, .decided, .waits, .rests, .begins, .left: break
    }
    var counter = JournalCounter()
    for entry in entries { try counter.count(entry) }
    return counter.totals
  }

  /// Removes each value that a later one replaces, unless a group has searched for its items in between.
  private static func withoutOldValues(_ entries: [JournalEntry]) -> [JournalEntry] {
    var later: [String: Int] = [:]
    var kept: [JournalEntry] = []
    for entry in entries.reversed() {
      guard case .settled(var settlement) = entry, settlement.parts.claimed == nil else {
        // A retry removes the entries after the decision of the run's end, and sometimes the decision, so none of these
        // replaces an earlier value.
        if entry.isDecision { later = [:] }
        kept.append(entry)
        continue
      }
      if settlement.work.kind == .plan { later = [:] }
      settlement.parts.writes = settlement.parts.writes.filter { write in
        if let number = later[write.name], number > write.number { return false }
        later[write.name] = write.number
        return true
      }
      kept.append(.settled(settlement))
    }
    return kept.reversed()
  }

  /// Removes the beginnings of attempts that have ended.
  ///
  /// Moves those of left attempts to the front, and the others to the end.
  private static func withoutOldBegins(_ entries: [JournalEntry]) -> [JournalEntry] {
    var kept: [JournalEntry] = []
    // The indices of the beginnings.
    var open: [RunWork: Int] = [:]
    var left: [RunWork: Int] = [:]
    for (place, entry) in entries.enumerated() {
      switch entry {
      case .begins(let begin):
        open[begin.work] = place
        left[begin.work] = nil
        continue
      case .settled(let settlement):
        open[settlement.work] = nil
        left[settlement.work] = nil
      case .rests, .left:
        left.merge(open) { $1 }
        open = [:]
        continue
      case .begun, .runs, .decided, .ended, .waits: break
      }
      kept.append(entry)
    }
    // Attempts that were left may have had an effect, but no process ended in them.
    let first = left.values.sorted().map { entries[$0] } + (left.isEmpty ? [] : [.left])
    return kept.prefix(1) + first + kept.dropFirst() + open.values.sorted().map { entries[$0] }
  }

  /// Joins successful work to ranges.
  ///
  /// It needs no more memory than the entries, because it doesn't expand ranges.
  private static func merged(
    _ entries: [JournalEntry], _ keepsOrder: (Int) -> Bool, _ needsTime: (JournalSettlement) -> Bool
  ) -> [JournalEntry] {
    var result: [JournalEntry] = []
    var plain: [JournalRun] = []
    func flush() {
      if plain.isEmpty { return }
      let maySort = plain.allSatisfy { $0.first.item != nil && $0.first.step.map(keepsOrder) == false }
      if maySort {
        plain.sort { ($0.first.step ?? 0, $0.first.item ?? 0) < ($1.first.step ?? 0, $1.first.item ?? 0) }
      }
      var runs: [JournalRun] = []
      for run in plain {
        if let last = runs.indices.last, runs[last].isFollowed(by: run) {
          runs[last].count += run.count
          if let outputs = run.outputs { runs[last].outputs?.append(contentsOf: outputs) }
        } else {
          runs.append(run)
        }
      }
      result.append(.runs(runs))
      plain = []
    }
    for entry in entries {
      switch entry {
      case .settled(let settlement):
        if !needsTime(settlement), let run = settlement.plainRun {
          plain.append(run)
        } else {
          flush()
          result.append(entry)
        }
      case .runs(let runs): plain += runs
      case .begun, .decided, .ended, .waits, .begins, .rests, .left:
        flush()
        result.append(entry)
      }
    }
    flush()
    return result
  }
}

extension JournalEntry {
  /// True if the entry decides the run's end, or ends the `always` steps.
  fileprivate var isDecision: Bool {
    switch self {
    case .settled(let settlement): settlement.parts.claimed != nil
    case .decided: true
    case .begun, .runs, .ended, .waits, .rests, .begins, .left: false
    }
  }

  fileprivate var settlement: JournalSettlement? { if case .settled(let settlement) = self { settlement } else { nil } }
}

extension JournalRun {
  /// Returns true if another range begins at the end of this one, and the two can be joined.
  fileprivate func isFollowed(by other: JournalRun) -> Bool {
    guard (outputs == nil) == (other.outputs == nil), count <= JournalRun.limit - other.count else { return false }
    return work(at: count) == other.first && JournalRun.isValid(first, count + other.count)
  }
}

extension JournalSettlement {
  /// The range for this work; `nil` unless its first attempt succeeded, and left nothing but an optional output.
  fileprivate var plainRun: JournalRun? {
    let parts = parts
    guard case .succeeded = result, work.isAttempt, attempt == 1, parts.name == nil,
      parts.writes.isEmpty, parts.claimed == nil, JournalRun.isValid(work, 1)
    else { return nil }
    return JournalRun(first: work, count: 1, outputs: parts.output.map { [$0] })
  }
}
