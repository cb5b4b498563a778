import Foundation
import OperationFlow
import OperationFlowStorage

/// The counts of a run up to an entry.
///
/// They are at the entry's end, so that the entries before it needn't be read.
struct JournalTotals: Sendable, Equatable {
  /// The numbers of settled steps and of settled items.
  var (stepCount, itemCount) = (0, 0)
  /// The number of processes in a row that will have ended in the same work, if this process ends now.
  var crashCount = 0

  init() {}

  /// Reads the totals that `write(to:)` has written.
  init(_ reader: inout JournalReader) throws(FlowError) {
    (stepCount, itemCount, crashCount) = (try reader.count(), try reader.count(), try reader.count())
    _ = try reader.byte()
  }

  /// Reads the totals from the last bytes of an entry, which must have totals.
  init?(atEndOf bytes: Data) {
    guard let count = bytes.last, count < bytes.count else { return nil }
    var reader = JournalReader(bytes.suffix(Int(clamping: count) + 1))
    guard let totals = try? JournalTotals(&reader), reader.isAtEnd else { return nil }
    self = totals
  }

  /// Writes the numbers and the count of their bytes, so that they can be found from the end of an entry.
  func write(to writer: inout JournalWriter) {
    let start = writer.bytes.count
    writer.number(stepCount)
    writer.number(itemCount)
    writer.number(crashCount)
    writer.byte(UInt8(clamping: writer.bytes.count - start))
  }
}

/// Makes the totals of a journal from its entries, one after the other.
struct JournalCounter: Sendable {
  private(set) var attempts = InterruptedAttempts()
  private var (stepCount, itemCount) = (0, 0)

  init() {}

  var totals: JournalTotals {
    var totals = JournalTotals()
    (totals.stepCount, totals.itemCount, totals.crashCount) = (stepCount, itemCount, attempts.consecutiveCount)
    return totals
  }

  /// Counts the next entry.
  ///
  /// A count that overflows throws an error, because the entry is damaged.
  mutating func count(_ entry: JournalEntry) throws(FlowError) {
    attempts.add(entry)
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
