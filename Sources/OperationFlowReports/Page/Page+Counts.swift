import OperationFlow

/// Counts that add up.
extension Page {
  /// How many steps there are, and how many are in each state: the counts add up.
  var stepCounts: String {
    let own = record.steps.filter { $0.kind != .branch }
    let counts = FlowRecord.State.allCases.map { state in (own.count { $0.state == state }, state.word.lowercased()) }
    let words = counts.filter { $0.0 > 0 }.map { PageText.grouped($0.0) + " " + $0.1 }
    return PageText.grouped(own.count) + (words.isEmpty ? "" : ": ") + words.joined(separator: ", ")
  }

  /// The items of all groups; how many there are isn't known if it isn't of one of them.
  static func sum(_ groups: [FlowRecord.Items]) -> FlowRecord.Items {
    let totals = groups.compactMap(\.total)
    return FlowRecord.Items(
      total: totals.count == groups.count ? totals.reduce(0, &+) : nil,
      succeeded: groups.reduce(0) { $0 &+ $1.succeeded }, failed: groups.reduce(0) { $0 &+ $1.failed },
      cancelled: groups.reduce(0) { $0 &+ $1.cancelled })
  }

  /// How many events the record has left out.
  var leftOut: Int {
    record.events.reduce(0) { sum, event in
      if case .leftOut(let count, _) = event.kind { sum &+ count } else { sum }
    }
  }
}
