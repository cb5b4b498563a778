/// The failed items of a group that a summary lists: the first of them, so that its size does not grow with their
/// number.
package struct ListedFailures {
  /// How many failed items of a group are listed; the rest are counted.
  static let limit = 20

  private struct Item: Hashable {
    let step: Int32
    let index: Int
  }

  private var hidden: Set<Item> = []
  /// How many are not listed, by group; those that have been mentioned are removed.
  private var counts: [Int32: Int] = [:]

  package init(_ digest: RunDigest) {
    var failed: [Int32: [Int]] = [:]
    for event in digest.events {
      // An item that has failed may have another attempt, or recover: only what is its end counts.
      guard case .finished(let finish) = event.kind, !event.isRetried, !event.isRecovering,
        finish.errorText != nil, let index = event.source.item
      else { continue }
      failed[event.source.step, default: []].append(index)
    }
    for (step, indices) in failed where indices.count > Self.limit {
      hidden.formUnion(indices.dropFirst(Self.limit).map { Item(step: step, index: $0) })
      // A record may have left failures out; what the run has counted is exact.
      counts[step] = max(indices.count, digest.step(Int(step))?.items?.failed ?? 0) - Self.limit
    }
  }

  /// Returns true if an event is about a failed item that is not listed.
  package func hides(_ event: FlowEvent) -> Bool {
    guard !hidden.isEmpty, let index = event.source.item else { return false }
    return hidden.contains(Item(step: event.source.step, index: index))
  }

  /// The line for all failed items of a group that are not listed, once.
  package mutating func takeLine(for event: FlowEvent) -> String? {
    guard let count = counts.removeValue(forKey: event.source.step) else { return nil }
    let group = event.path.map { " of " + LineText.escaped($0.description) } ?? ""
    return "\(FlowEvent.Source.record) \(count) more failed items\(group) are not listed; the report has them"
  }
}
