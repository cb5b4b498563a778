import OperationFlow

/// Counts that add up.
extension Page {
  /// The number of steps, and the number in each state; the counts add up to the number of steps.
  var stepCounts: String {
    let own = record.steps.filter { $0.kind != .branch }
    let counts = FlowRecord.State.allCases.map { state in (own.count { $0.state == state }, state.word.lowercased()) }
    let words = counts.filter { $0.0 > 0 }.map { PageText.grouped($0.0) + " " + $0.1 }
    return PageText.grouped(own.count) + (words.isEmpty ? "" : ": ") + words.joined(separator: ", ")
  }

  /// Returns the counts of the items of all groups; the total is `nil` if that of one group isn't known.
  static func sum(_ groups: [FlowReport.Items]) -> FlowReport.Items {
    let totals = groups.compactMap(\.total)
    return FlowReport.Items(
      total: totals.count == groups.count ? totals.reduce(0, &+) : nil,
      succeeded: groups.reduce(0) { $0 &+ $1.succeeded }, failed: groups.reduce(0) { $0 &+ $1.failed },
      cancelled: groups.reduce(0) { $0 &+ $1.cancelled })
  }

  /// The number of events that the record has left out.
  var leftOut: Int {
    record.events.reduce(0) { sum, event in
      if case .leftOut(let count, _) = event.kind { sum &+ count } else { sum }
    }
  }
}
