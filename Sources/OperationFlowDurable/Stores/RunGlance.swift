import Foundation
import OperationFlow
import OperationFlowStorage

/// What the ends of a journal say about a run that has begun and not ended; nothing between them is read.
struct RunGlance: Sendable {
  let beginning: JournalBeginning.Head
  let totals: JournalTotals

  /// Looks at a journal; it is `nil` if all of it has to be read, such as one of an earlier version.
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
