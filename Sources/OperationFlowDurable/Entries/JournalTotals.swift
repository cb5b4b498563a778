import Foundation
import OperationFlow
import OperationFlowStorage

/// What has happened in a run up to an entry, which the entry has at its end: no one has to read those before it.
struct JournalTotals: Sendable, Equatable {
  /// How many steps have settled, and how many items of groups.
  var (stepCount, itemCount) = (0, 0)
  /// How often a process will have ended in the same work, one time after the other, if it ends now.
  var crashCount = 0

  init() {}

  /// Reads what `write(to:)` has written.
  init(_ reader: inout JournalReader) throws(FlowError) {
    (stepCount, itemCount, crashCount) = (try reader.count(), try reader.count(), try reader.count())
    _ = try reader.byte()
  }

  /// Reads it from the last bytes of an entry that is known to end in totals.
  init?(atEndOf bytes: Data) {
    guard let count = bytes.last, count < bytes.count else { return nil }
    var reader = JournalReader(bytes.suffix(Int(clamping: count) + 1))
    guard let totals = try? JournalTotals(&reader), reader.isAtEnd else { return nil }
    self = totals
  }

  /// Writes the numbers, and how many bytes they take, so that they can be found from the end of an entry.
  func write(to writer: inout JournalWriter) {
    let start = writer.bytes.count
    writer.number(stepCount)
    writer.number(itemCount)
    writer.number(crashCount)
    writer.byte(UInt8(clamping: writer.bytes.count - start))
  }
}

/// Counts what the entries of a journal say, one after the other.
struct JournalCounter: Sendable {
  private(set) var attempts = InterruptedAttempts()
  private var (stepCount, itemCount) = (0, 0)

  init() {}

  var totals: JournalTotals {
    var totals = JournalTotals()
    (totals.stepCount, totals.itemCount, totals.crashCount) = (stepCount, itemCount, attempts.consecutiveCount)
    return totals
  }

  /// Counts the next entry, which is damaged if there would be too many.
  mutating func note(_ entry: JournalEntry) throws(FlowError) {
    attempts.note(entry)
    switch entry {
    case .settled(let settlement):
      if case .failed(_, .some) = settlement.result { return }
      switch settlement.work.kind {
      case .step, .leave, .collect: stepCount += 1
      case .item: itemCount += 1
      default: break
      }
    case .runs(let runs):
      for run in runs {
        let (sum, isTooLarge) = (run.first.item == nil ? stepCount : itemCount).addingReportingOverflow(run.count)
        if isTooLarge { throw .unreadableEntry }
        if run.first.item == nil { stepCount = sum } else { itemCount = sum }
      }
    case .begun, .decided, .ended, .waits, .rests, .begins, .left: break
    }
  }
}
