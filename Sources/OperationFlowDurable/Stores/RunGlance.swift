import Foundation
import OperationFlow
import OperationFlowStorage

/// The beginning and the totals of a run that has not ended, read from the ends of its journal alone.
struct RunGlance: Sendable {
  let beginning: JournalBeginning.Head
  let totals: JournalTotals

  /// Reads a glance from the ends of a journal; `nil` if all of it must be read, such as a journal of an earlier
  /// version.
  init?(_ ends: JournalEnds) {
    guard let first = ends.first, let beginning = JournalBeginning.Head(first) else { return nil }
    self.beginning = beginning
    guard let last = ends.last else {
      totals = JournalTotals()
      return
    }
    if let end = ends.endOfLast {
      guard beginning.isCounted, let totals = JournalTotals(atEndOf: end) else { return nil }
      self.totals = totals
    } else {
      var found: JournalTotals?
      guard (try? JournalEntry(last, totals: &found)) != nil, let found else { return nil }
      totals = found
    }
  }
}
