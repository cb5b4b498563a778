/// The texts of the values in a run's data bucket at a moment: a fold over its events.
package struct BucketTexts: Sendable {
  /// The texts by name.
  package private(set) var values: [String: String] = [:]

  package init() {}

  /// Applies an event; true if it has changed a value of the flow's bucket.
  ///
  /// What a group's items write for themselves isn't in the flow's bucket.
  @discardableResult
  package mutating func apply(_ event: FlowEvent) -> Bool {
    switch event.kind {
    case .flowStarted(let items):
      values = Dictionary(items.map { ($0.name, $0.text) }) { _, last in last }
      return true
    case .added(let name, let text) where event.source.item == nil: values[name] = text
    case .replaced(let name, _, let new) where event.source.item == nil: values[name] = new
    case .removed(let name, _) where event.source.item == nil: values[name] = nil
    default: return false
    }
    return true
  }
}
