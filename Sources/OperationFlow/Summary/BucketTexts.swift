extension [String: String] {
  /// Applies an event to the texts of the values in a run's data bucket, by name.
  ///
  /// What a group's items write for themselves isn't in the flow's bucket.
  package mutating func apply(_ event: FlowEvent) {
    switch event.kind {
    case .flowStarted(let items):
      self = [:]
      for item in items { self[item.name] = item.text }
    case .added(let name, let text) where event.source.item == nil: self[name] = text
    case .replaced(let name, _, let new) where event.source.item == nil: self[name] = new
    case .removed(let name, _) where event.source.item == nil: self[name] = nil
    default: break
    }
  }
}
