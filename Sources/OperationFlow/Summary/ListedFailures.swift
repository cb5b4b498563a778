/// The first failed items of a group, which a summary lists: so its size does not grow with their number.
package final class ListedFailures {
  /// How many failed items of a group are listed; the rest are counted.
  static let limit = 20

  /// The items that are not listed.
  private var hidden: Set<String> = []
  /// How many are not listed, by group; none, once they have been mentioned.
  private var counts = [Int: Int]()

  package init(_ digest: RunDigest) {
    for event in digest.events {
      // An item that has failed may have another attempt, or recover: only what is its end counts.
      guard case .finished(let finish) = event.kind, !event.isRetried, !event.isRecovering,
        finish.errorText != nil, let name = Self.name(of: event)
      else { continue }
      let count = counts[Int(event.source.step), default: 0] + 1
      counts[Int(event.source.step)] = count
      if count > Self.limit { hidden.insert(name) }
    }
    for (group, count) in counts {
      // A record may have left failures out; what the run has counted is exact.
      counts[group] = count > Self.limit ? max(count, digest.step(group)?.items?.failed ?? 0) - Self.limit : 0
    }
  }

  /// An item's name here, which has the number of its group.
  private static func name(of event: FlowEvent) -> String? { event.source.item.map { "\(event.source.step) \($0)" } }

  package func hides(_ event: FlowEvent) -> Bool {
    !hidden.isEmpty && Self.name(of: event).map(hidden.contains) ?? false
  }

  /// The line for all failed items of a group that are not listed, once.
  package func takeLine(for event: FlowEvent) -> String? {
    guard let count = counts[Int(event.source.step)], count > 0 else { return nil }
    counts[Int(event.source.step)] = 0
    let group = event.path.map { " of " + LineText.escaped($0.description) } ?? ""
    return "\(FlowEvent.Source.record) \(count) more failed items\(group) are not listed; the report has them"
  }
}
