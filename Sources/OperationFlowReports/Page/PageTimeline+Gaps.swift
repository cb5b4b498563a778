import OperationFlow

extension PageTimeline {
  /// A period in which the record has left out events of a group, so the work of its items isn't known.
  struct Gap {
    /// The position of the group.
    let step: Int
    let start: Int64
    let end: Int64
    /// The number of missing events.
    let events: Int
  }

  /// The number of a group's items that the record has left out, in part or as a whole.
  struct Missing {
    /// The position of the group.
    let step: Int
    let items: Int
    let events: Int
  }

  /// Returns the gaps in the events of groups, each from the last event before it to the last missing event.
  static func gaps(_ events: [FlowEvent], _ tree: StepTree, _ origin: Int64) -> [Gap] {
    var last: [Int: Int64] = [:]
    var gaps: [Gap] = []
    for event in events {
      guard let step = event.step.flatMap({ tree.places[$0] }) else { continue }
      let time = event.microseconds(since: origin)
      if case .leftOut(let count, _) = event.kind, count > 0, isGroup(tree.steps[step]) {
        gaps.append(Gap(step: step, start: min(last[step] ?? 0, time), end: time, events: count))
      }
      last[step] = time
    }
    return gaps
  }

  /// The numbers of ended items that aren't drawn, because the record has left out their beginning or end.
  var missing: [Missing] {
    var events: [Int: Int] = [:]
    for gap in gaps { events[gap.step, default: 0] &+= gap.events }
    guard !events.isEmpty else { return [] }
    var drawn: [Int: Set<Int>] = [:]
    for span in spans where !span.isUndo && span.state != .running && events[span.step] != nil {
      if let item = span.item { drawn[span.step, default: []].insert(item) }
    }
    return events.keys.sorted().compactMap { step in
      guard let items = tree.steps[step].items else { return nil }
      let ended = items.succeeded &+ items.failed &+ items.cancelled
      let count = ended &- (drawn[step]?.count ?? 0)
      return count > 0 ? Missing(step: step, items: count, events: events[step] ?? 0) : nil
    }
  }

  private static func isGroup(_ step: FlowRecord.Step) -> Bool {
    if case .group = step.kind { true } else { step.items != nil }
  }
}
